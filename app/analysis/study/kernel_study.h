#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/memory/counters.h"
#include "analysis/occupancy/occupancy.h"
#include "analysis/study/timeline.h"
#include "analysis/study/verification.h"
#include "core/device_table.h"
#include "core/dim3.h"
#include "core/result.h"
#include "emulator/block/block_trace.h"
#include "emulator/device_memory.h"
#include "emulator/emulate.h"
#include "emulator/program.h"
#include "kernel/compile/compile.h"
#include "kernel/launch/instance.h"

namespace tilescope {

struct Pipeline;  // analysis/time/pipeline.h

// All that is known about one kernel at one set of parameters: what the views are drawn from.
// Immutable once built; parts that come later (resources, whole grid) make a new study that shares
// the rest.
struct KernelStudy {
  KernelInstance instance;
  std::shared_ptr<const CompiledKernel> compiled;  // PTX; the cubin's resources once known
  std::shared_ptr<const Program> program;          // as written: the PTX
  std::shared_ptr<const Program> issued;       // as issued: the cubin's code; nullptr: not known
  std::shared_ptr<const DeviceMemory> memory;  // inputs as the kernel found them
  Launch launch;
  std::uint64_t block = 0;                  // the chosen one, a linear index
  std::shared_ptr<const BlockTrace> trace;  // of it
  std::shared_ptr<const Timeline> timeline;
  std::shared_ptr<const LaunchCounters> counters;         // a sample first, the whole grid later
  std::shared_ptr<const LaunchCounters> issued_counters;  // by instruction of `issued`
  std::string why_not_issued;          // one sentence, once it is known that they cannot be had
  std::optional<Occupancy> occupancy;  // once registers are known
  std::shared_ptr<const DeviceModel> device;  // that it is of
  std::shared_ptr<const Pipeline> pipeline;   // modelled; the machine code's once that is known
  std::vector<Finding> findings;
  std::optional<Verification> verification;  // of the whole grid, catalogue problems only
  bool complete = true;
  double compile_seconds = 0;
  double emulate_seconds = 0;

  [[nodiscard]] bool traced() const { return trace != nullptr; }
};

class InputCache;  // analysis/memory/launch_memory.h

struct StudyRequest {
  KernelInstance instance;
  InputCache* inputs = nullptr;  // may be shared by requests; nullptr: made anew
  int compute_capability = 90;
  std::uint64_t block = 0;  // linear index of the block to trace
  std::size_t most_events = 1u << 22;
  unsigned workers = 1;
};

// Compiles to PTX, decodes it and makes the launch's memory; emulates nothing yet.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> prepare_study(const StudyRequest& request,
                                                                       std::stop_token stop);

// prepare_study, then traces the chosen block and counts it and the others of sample_blocks(), each
// scaled by the blocks that it stands for; the whole grid where they wait for more blocks.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> study_block(const StudyRequest& request,
                                                                     std::stop_token stop);

// Adds the cubin's registers, shared memory, spills, the device and the occupancy on it.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> with_resources(
    std::shared_ptr<const KernelStudy> study, const DeviceModel& device, std::stop_token stop);

// Adds the machine code of the cubin, which with_resources() has loaded. kMachine: there is no
// disassembler. kKernel: code that cannot be followed.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> with_machine_code(
    std::shared_ptr<const KernelStudy> study, std::stop_token stop);

// The result of emulating the whole grid.
struct GridRun {
  LaunchCounters counters;
  Emulation emulation;
  std::optional<Verification> verification;  // catalogue problems only
  std::shared_ptr<DeviceMemory> memory;      // after the launch
};
// Whether the run looks for races and other mistakes that plain emulation does not see
// (docs/findings.md); that costs time.
enum class Checks : bool { kOff, kOn };
// How long a run may take, whatever the kernel does: EmulationOptions.
struct RunLimits {
  std::uint64_t step_budget = EmulationOptions{}.step_budget;
  double seconds = EmulationOptions{}.limit_seconds;
};
[[nodiscard]] Result<GridRun> run_grid(const KernelStudy& study, unsigned workers,
                                       std::stop_token stop, Checks checks = Checks::kOff,
                                       SchedulingOrder order = SchedulingOrder::kForward,
                                       const RunLimits& limits = {});

// The same over sample_blocks(), counts scaled; verifies nothing. Where a block waits for one that
// is not in the sample it is run_grid().
[[nodiscard]] Result<GridRun> run_sample(const KernelStudy& study, unsigned workers,
                                         std::stop_token stop, Checks checks = Checks::kOff,
                                         SchedulingOrder order = SchedulingOrder::kForward);

// run_grid() and run_sample() over the machine code: what the hardware issues. The counters are by
// instruction of `study.issued`, which must be there. A kernel that uses the results of its
// atomics runs twice, the second time in the other order.
[[nodiscard]] Result<GridRun> run_issued_grid(const KernelStudy& study, unsigned workers,
                                              std::stop_token stop);
[[nodiscard]] Result<GridRun> run_issued_sample(const KernelStudy& study, unsigned workers,
                                                std::stop_token stop);

// Adds what emulating blocks with checks finds: the traced one alone, which is quick, or a sample.
// Findings are kept once per kind and line. Fails only with kCancelled.
enum class CheckedBlocks { kTraced, kSample };
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> with_checks(
    std::shared_ptr<const KernelStudy> study, CheckedBlocks blocks, std::stop_token stop);

// Adds the counts of the whole grid, whether its result is right, and what was found there.
[[nodiscard]] std::shared_ptr<const KernelStudy> with_grid(std::shared_ptr<const KernelStudy> study,
                                                           const GridRun& grid);

// with_machine_code() where it is missing, then run_issued_sample() or run_issued_grid(), kept in
// the study: counters, or why there are none. Fails only with kCancelled.
enum class Counted { kSample, kGrid };
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> with_issued_counts(
    std::shared_ptr<const KernelStudy> study, Counted blocks, unsigned workers,
    std::stop_token stop);

// A block that represents others, and how many (itself included).
struct SampledBlock {
  std::uint64_t block = 0;  // linear index
  std::uint64_t weight = 1;
};

// Which blocks to emulate for a quick answer: along each axis the last block, whose tile may be
// ragged, and one that represents all the others, `preferred`'s index where it is one of them;
// every block when there are `all_up_to` or fewer. The weights sum to grid.count(). Scaling is
// exact where the blocks of a class differ only by multiples of 32 bytes in their addresses;
// callers present the result as a sample.
[[nodiscard]] std::vector<SampledBlock> sample_blocks(const Dim3& grid, std::uint64_t all_up_to,
                                                      std::optional<Dim3> preferred = {});

// Bytes that a launch's lanes move to and from global memory: sectors of 32 B, counted over a
// sample of blocks of the PTX and scaled. Compiles and emulates: a second or more.
[[nodiscard]] Result<double> moved_bytes(const StudyRequest& request, std::stop_token stop);

}  // namespace tilescope
