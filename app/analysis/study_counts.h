#pragma once
#include <memory>
#include <optional>
#include <stop_token>

#include "analysis/kernel_study.h"
#include "emulator/emulate.h"

namespace tilescope {

// What some blocks did, each counted as many times as blocks it stands for.
struct BlocksCounted {
  LaunchCounters counters;
  Emulation emulation;
};

// Traces the block that `request` names, into `study` (trace, timeline, findings), and counts it
// and the others of the sample around it, or the whole grid where those wait for more.
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

// The same over a sample of blocks (analysis/block_sample.h), counts scaled; verifies nothing.
// Where a block waits for one that is not in the sample it is run_grid().
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

}  // namespace tilescope
