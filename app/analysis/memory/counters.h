#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/memory/bank_conflicts.h"
#include "analysis/memory/coalescing.h"
#include "emulator/emulate.h"

namespace tilescope {

// Sums over the executions of one static memory instruction. A cp.async counts its global read in
// requests, lanes and sectors and its shared write in wavefronts
// (analysis/memory/bank_conflicts.h).
struct AccessCounters {
  // Executions with an active lane; of local memory times the words of a lane.
  std::uint64_t requests = 0;
  // Those on global and on local memory; a generic address may point anywhere.
  std::uint64_t global_requests = 0;
  std::uint64_t local_requests = 0;
  std::uint64_t lanes = 0;           // active lanes
  std::uint64_t distinct_bytes = 0;  // of global memory, each execution by itself
  std::uint64_t sectors = 0;         // of global and local memory
  std::uint64_t local_sectors = 0;
  std::uint64_t sectors_ideal = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t wavefronts_ideal = 0;

  AccessCounters& operator+=(const AccessCounters& other);
  [[nodiscard]] AccessCounters scaled(double factor) const;  // to the nearest whole numbers
};

// Counts what a worker's blocks access. Costs of an address pattern that repeats are remembered.
class CountingSink final : public TraceSink {
 public:
  explicit CountingSink(const Program& program);
  ~CountingSink() override;
  void on_access(const WarpPoint& where, const WarpAccess& access) override;
  bool on_repeat(const WarpPoint& where, std::uint64_t base, std::uint64_t times) override;
  bool on_copy_repeat(const WarpPoint& where, std::uint64_t source,
                      std::uint64_t destination) override;
  [[nodiscard]] bool takes_repeats_late() const override { return true; }
  [[nodiscard]] std::vector<AccessCounters> counters() const;  // by static instruction

 private:
  struct Instruction;
  struct Copy;
  [[nodiscard]] Instruction& instruction_at(const WarpPoint& where);
  void on_copy(const WarpPoint& where, const WarpAccess& access);

  const Program& program_;
  std::vector<std::unique_ptr<Instruction>> instructions_;  // none before its first access
  std::unique_ptr<Copy> copy_;                              // the cp.async whose write comes next
};

// The part of a buffer that a whole launch accesses; each element and sector counts once.
struct BufferReach {
  std::uint64_t elements_read = 0;  // of the buffer's type
  std::uint64_t sectors_read = 0;   // of 32 bytes
  std::uint64_t sectors_written = 0;
  friend bool operator==(const BufferReach&, const BufferReach&) = default;
};

// Counts what a worker's blocks access, and marks which elements of the launch's buffers that are.
// Slower than CountingSink: it must see every address.
class ReachSink final : public TraceSink {
 public:
  ReachSink(const Program& program, const DeviceMemory& memory);
  ~ReachSink() override;
  void on_access(const WarpPoint& where, const WarpAccess& access) override;
  [[nodiscard]] std::vector<AccessCounters> counters() const { return counting_.counters(); }
  // Adds the marks of another worker of the same launch.
  void merge(const ReachSink& other);
  [[nodiscard]] std::vector<BufferReach> reach() const;  // by buffer

 private:
  struct Marks;
  void mark(std::uint64_t address, std::uint64_t bytes, bool reads, bool writes);

  CountingSink counting_;
  std::vector<Marks> marks_;  // by buffer
  Marks* last_ = nullptr;     // where the lane before was
};

// Counters of a launch: per static instruction, and in total under Nsight Compute's names.
struct LaunchCounters {
  std::vector<AccessCounters> by_instruction;
  ExecutionCounts executed;
  bool whole_grid = false;  // counted over every block
  std::uint64_t blocks_counted = 0;
  std::uint64_t blocks_represented = 0;  // what the sample was scaled to
  std::vector<BufferReach> reach;        // by buffer; empty: not known (only run_grid() finds it)
  // The same blocks in the other order (SchedulingOrder), if the kernel uses the results of its
  // atomics; else nullptr.
  std::shared_ptr<const LaunchCounters> other_turns = nullptr;
};

// "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" -> value. Which instructions count under which
// name was measured on an H200 (docs/accuracy.md): an instruction counts as executed also with
// every lane predicated off; through a generic address it is a generic_ld whose requests are global
// loads; ldmatrix and stmatrix have names of their own but the wavefronts of loads and stores;
// cp.async counts its requests and sectors with the loads, an atomic on global memory is a
// generic_atom.
[[nodiscard]] std::map<std::string, std::uint64_t> metrics_of(const Program& program,
                                                              const LaunchCounters& counters);

// The metrics that differ in the other order, with those values: they depend on which warp or
// block is first, and on a GPU that differs from launch to launch.
[[nodiscard]] std::map<std::string, std::uint64_t> metrics_that_depend_on_turns(
    const Program& program, const LaunchCounters& counters);

// All that metrics_of() gives; a launch has each of them, if only 0.
[[nodiscard]] std::vector<std::string> metric_names();

// One row per source line and kind of access, in line order.
struct LineCounters {
  SourceLine line;  // outermost
  InstructionClass instruction_class = InstructionClass::kMemory;
  MemorySpace space = MemorySpace::kNone;
  AccessKind access = AccessKind::kNone;
  std::uint64_t executed = 0;   // warp instructions
  std::uint64_t lanes = 0;      // with their predicate true
  std::uint64_t divergent = 0;  // branches that split the warp
  AccessCounters memory;
};
[[nodiscard]] std::vector<LineCounters> counters_by_line(const Program& program,
                                                         const LaunchCounters& counters);

}  // namespace tilescope
