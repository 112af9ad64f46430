#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/dim3.h"
#include "core/result.h"
#include "emulator/device_memory.h"
#include "emulator/execution/device_work.h"
#include "emulator/memory_map.h"
#include "emulator/program.h"
#include "emulator/warp_access.h"
#include "kernel/source/structure_layout.h"

namespace tilescope {

struct LaunchArgument {
  LaunchArgument(std::uint64_t all_bits) : bits(all_bits) {}  // NOLINT: {address, 5}
  LaunchArgument(std::uint64_t all_bits, std::uint32_t size,
                 const std::optional<StructureMember>& place)
      : bits(all_bits), bytes(size), member(place) {}

  std::uint64_t bits = 0;   // little-endian in the low bytes; pointers: device addresses
  std::uint32_t bytes = 8;  // as many, or as the parameter has, if that has fewer
  std::optional<StructureMember> member;  // none: a parameter by itself
  // What a parameter of that size gets in place of the bits, by value (a tensor map, which is
  // encoded of them), and one of 8 bytes by this address of it; empty: the bits count.
  std::vector<std::byte> object{};
  std::uint64_t object_address = 0;
};

struct Launch {
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<LaunchArgument> arguments;  // in order; see ParameterIndex
  // Constant memory, in place of what the module says; empty: as it says.
  std::span<const std::byte> constants{};
  // Of a cooperative launch: device address of two words, the second 0, at which its blocks meet.
  std::uint64_t grid_workspace = 0;
};

// Something the kernel does wrong, or the emulator cannot do: docs/findings.md. After kEndless,
// kTrap and kUnsupported the result is not complete.
enum class FindingKind {
  kOutOfBounds,
  kMisaligned,
  kUninitialised,
  kSharedRace,
  kGlobalRace,
  kBarrier,
  kCpAsync,
  kEndless,
  kTrap,         // the kernel stops itself
  kUnsupported,  // the emulator cannot go on
  kBarrierPlaces,
};
[[nodiscard]] std::string_view name_of(FindingKind kind);  // "out_of_bounds" ...

struct Finding {
  FindingKind kind = FindingKind::kUnsupported;
  std::string message;  // one sentence with the address in terms of the array, and the remedy
  std::uint32_t instruction = 0;  // static index
  Dim3 block;
  Dim3 thread;  // the first thread concerned
  // Where two threads are in each other's way: the other one, and what it does.
  struct Other {
    std::uint32_t instruction = 0;
    Dim3 block;
    Dim3 thread;
  };
  std::optional<Other> other = std::nullopt;
  std::optional<std::uint64_t> address{};  // in global memory, of an access that cannot be made
};

// Against CUDA's rules, but today's GPUs do what was meant: told, and no mistake.
[[nodiscard]] bool is_advice(FindingKind kind);
[[nodiscard]] std::size_t count_mistakes(std::span<const Finding> findings);
[[nodiscard]] const Finding* first_mistake(std::span<const Finding> findings);  // nullptr: none

// Where a warp executes an instruction.
struct WarpPoint {
  std::uint64_t block = 0;  // linear index in the grid
  std::uint32_t warp = 0;
  std::uint32_t instruction = 0;
};

// Sees every memory access of the blocks one worker thread executes, in order. One sink per
// worker; nobody calls it concurrently. Called in the hot loop.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void on_access(const WarpPoint& where, const WarpAccess& access) = 0;
  // This instruction's last access once more, or `times` more, every address moved by the same
  // distance: `base` is the first active lane's. False: not taken, on_access() follows.
  virtual bool on_repeat(const WarpPoint& /*where*/, std::uint64_t /*base*/,
                         std::uint64_t /*times*/) {
    return false;
  }
  // The same of a cp.async, whose two accesses have both come again; told at once.
  virtual bool on_copy_repeat(const WarpPoint& /*where*/, std::uint64_t /*source*/,
                              std::uint64_t /*destination*/) {
    return false;
  }
  // True: repeats may be told at the end of the block, whatever came between; their base is known
  // modulo kRepeatBases alone, and the warp is not.
  [[nodiscard]] virtual bool takes_repeats_late() const { return false; }
  static constexpr std::uint64_t kRepeatBases = 128;
};

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
