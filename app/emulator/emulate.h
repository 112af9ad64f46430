#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "emulator/device_memory.h"
#include "emulator/execution/device_work.h"
#include "emulator/finding.h"
#include "emulator/launch.h"
#include "emulator/memory_map.h"
#include "emulator/program.h"
#include "emulator/trace_sink.h"

namespace tilescope {

// The order in which blocks and warps are executed. A GPU has another one each time; a kernel whose
// counts depend on it has other counts in the other order, and is reported so.
enum class SchedulingOrder : std::uint8_t {
  kForward,   // from the first on; a warp goes on until it waits
  kBackward,  // from the last on, a few instructions of each warp at a time
};

struct EmulationOptions {
  std::vector<std::uint64_t> blocks;  // linear indices; empty: the whole grid
  unsigned workers = 1;               // threads
  SchedulingOrder order = SchedulingOrder::kForward;
  std::uint64_t step_budget =
      1u << 28;  // warp instructions of one block before it counts as endless; ends the launch
  std::size_t most_findings = 64;  // one per kind and instruction, then counted only
  // Also looks for what needs a memory of who touched what: uninitialised, shared_race,
  // global_race, accesses past a declared shared array, copies that nobody waits for
  // (docs/findings.md). Blocks that talk to each other are then executed by one worker.
  bool check = false;
  // Emulation::device_work is done by the caller; otherwise that is a finding.
  bool takes_device_work = false;
  // After so many seconds the blocks that have not begun are executed as fast as can be: unchecked,
  // seen by no sink. Emulation::watched says how many were watched.
  double watch_seconds = std::numeric_limits<double>::infinity();
  // After so many seconds no block begins or goes on: Emulation::blocks, those that ended, are then
  // fewer than all.
  double limit_seconds = std::numeric_limits<double>::infinity();
};

// How often each static instruction was executed.
struct ExecutionCounts {
  ExecutionCounts() = default;
  explicit ExecutionCounts(std::size_t instructions)
      : warps(instructions), lanes(instructions), threads(instructions), divergent(instructions) {}
  ExecutionCounts& operator+=(const ExecutionCounts& other);  // of as many instructions

  std::vector<std::uint64_t> warps;  // warp instructions, also those with every lane predicated off
  std::vector<std::uint64_t> lanes;  // active lanes (predicate true), summed
  std::vector<std::uint64_t> threads;    // lanes that came along, also those predicated off
  std::vector<std::uint64_t> divergent;  // of a branch: executions after which lanes had parted
};

struct Emulation {
  ExecutionCounts counts;
  std::vector<Finding> findings;
  bool complete = true;       // false: a finding of kind unsupported or endless left something out
  bool lacks_blocks = false;  // a block waits for one that was not to be emulated
  std::uint64_t blocks = 0;
  std::uint64_t of_blocks = 0;
  std::uint64_t watched = 0;  // of `blocks`: checked, where that was asked for, and seen by sinks
  ExecutionCounts watched_counts{};     // of these
  std::string printed;                  // by printf
  std::string complaints;               // of failed asserts
  std::vector<DeviceWork> device_work;  // that threads have asked for, to be done in this order
  std::uint64_t lane_instructions = 0;
  double seconds = 0;
  unsigned workers = 1;
};

using SinkFactory = std::function<std::unique_ptr<TraceSink>()>;

// Executes blocks of a launch on the CPU; writes go to `memory`. `finished` receives each worker's
// sink when it is done (on the calling thread). Blocks are executed by the pool in any order; each
// by itself is deterministic. kCancelled when stopped; kUsage when the launch cannot be (block too
// large, wrong number of arguments), with the reason.
[[nodiscard]] Result<Emulation> emulate(const Program& program, const Launch& launch,
                                        DeviceMemory& memory, const EmulationOptions& options,
                                        const SinkFactory& make_sink,
                                        const std::function<void(TraceSink&)>& finished,
                                        std::stop_token stop);

// The same on memory that outlives the launch, and that has the variables of the program's module.
[[nodiscard]] Result<Emulation> emulate_on(const MemoryMap& memory, const Program& program,
                                           const Launch& launch, const EmulationOptions& options,
                                           const SinkFactory& make_sink,
                                           const std::function<void(TraceSink&)>& finished,
                                           std::stop_token stop);

}  // namespace tilescope
