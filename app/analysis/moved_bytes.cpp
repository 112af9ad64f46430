#include "analysis/moved_bytes.h"

#include "analysis/study_counts.h"

namespace tilescope {

Result<double> moved_bytes(const StudyRequest& request, std::stop_token stop) {
  auto study = prepare_study(request, stop);
  if (!study) return study.error();
  auto run = run_sample(**study, request.workers, stop);
  if (!run) return run.error();
  double sectors = 0;
  for (const AccessCounters& counters : run->counters.by_instruction) {
    sectors += static_cast<double>(counters.sectors);
  }
  return sectors * kSectorBytes;
}

}  // namespace tilescope
