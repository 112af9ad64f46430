#include "analysis/time/study_depth.h"

#include <utility>

#include "analysis/study/kernel_study.h"
#include "analysis/time/pipeline.h"

namespace tilescope {

Result<std::shared_ptr<const KernelStudy>> with_depth(std::shared_ptr<const KernelStudy> study,
                                                      const StudyDepth& depth,
                                                      const std::stop_token& stop,
                                                      const StudyStep& after_step) {
  using Next = Result<std::shared_ptr<const KernelStudy>>;
  const auto take = [&](const Next& next) {
    if (!next) return false;
    study = *next;
    if (after_step) after_step(study);
    return true;
  };
  if (depth.checks) {
    for (const CheckedBlocks blocks : {CheckedBlocks::kTraced, CheckedBlocks::kSample}) {
      if (const Next next = with_checks(study, blocks, stop); !take(next)) return next;
    }
  }
  if (depth.issued) {
    const Next next = with_issued_counts(study, Counted::kSample, depth.workers, stop);
    if (!take(next)) return next;
  }
  if (depth.pipeline) (void)take(with_pipeline(study, depth.latencies, stop));
  if (!depth.whole_grid) return study;
  const auto grid = run_grid(*study, depth.workers, stop);
  if (!grid) return grid.error();
  (void)take(with_grid(study, *grid));
  if (study->issued_counters == nullptr || study->issued_counters->whole_grid) return study;
  const Next next = with_issued_counts(study, Counted::kGrid, depth.workers, stop);
  if (!take(next)) return next;
  return study;
}

}  // namespace tilescope
