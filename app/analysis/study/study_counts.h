#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "core/dim3.h"
#include "emulator/block/block_trace.h"
#include "emulator/emulate.h"
#include "emulator/program.h"

namespace tilescope {

// Counts of some blocks, each multiplied by the number of blocks that it represents.
struct BlocksCounted {
  LaunchCounters counters;
  Emulation emulation;
};

// Traces the block that `request` names, into `study` (trace, timeline, findings), and counts it
// and the others of the sample around it, or the whole grid if those wait for more blocks.
[[nodiscard]] Result<BlocksCounted> trace_and_count(const StudyRequest& request, KernelStudy* study,
                                                    const std::stop_token& stop);

// What emulating the whole grid gives.
struct GridRun {
  LaunchCounters counters;
  Emulation emulation;
  std::optional<Verification> verification;  // catalogue problems only
  std::shared_ptr<DeviceMemory> memory;      // after the launch
};
// Whether the run looks for races and other mistakes that plain emulation does not see
// (docs/findings.md); that costs time.
enum class Checks : bool { kOff, kOn };
[[nodiscard]] Result<GridRun> run_grid(const KernelStudy& study, unsigned workers,
                                       std::stop_token stop, Checks checks = Checks::kOff,
                                       Turns turns = Turns::kUsual);

// The same over a sample of blocks (analysis/study/study_counts.h), counts scaled; verifies
// nothing. Where a block waits for one that is not in the sample it is run_grid().
[[nodiscard]] Result<GridRun> run_sample(const KernelStudy& study, unsigned workers,
                                         std::stop_token stop, Checks checks = Checks::kOff,
                                         Turns turns = Turns::kUsual);

// Adds what emulating blocks with checks finds: the traced one alone, which is quick, or a sample.
// Findings are kept once per kind and line. Fails only with kCancelled.
enum class CheckedBlocks { kTraced, kSample };
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> with_checks(
    std::shared_ptr<const KernelStudy> study, CheckedBlocks blocks, std::stop_token stop);

// Adds the counts of the whole grid, whether its result is right, and what was found there.
[[nodiscard]] std::shared_ptr<const KernelStudy> with_grid(std::shared_ptr<const KernelStudy> study,
                                                           const GridRun& grid);

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

// Sorts the events of a trace so that a person can follow the block: its warps advance side by
// side, as on a multiprocessor, while the emulator runs one of them to its end and then the next.
// Between two barriers all warps are in the same step of the main loop, and within it each executes
// its first instruction, then each its second. The order of a warp's own events is kept, and no
// event crosses a barrier, so the block may have been executed in this order.
//
// If warps synchronise in other ways (an mbarrier, a lock, several barriers), the emulator's order
// is kept, as only this one is known to be possible.
void put_warps_side_by_side(const Program& program, BlockTrace* trace);

}  // namespace tilescope
