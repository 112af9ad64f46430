#pragma once
#include <stop_token>

#include "analysis/kernel_study.h"

namespace tilescope {

// A launch's time by the model, and what it was made from.
struct ModelledTime {
  double seconds = 0;
  CompiledKernel compiled;  // the cubin, with its resources
};

// diagnose()'s time (analysis/verdicts.h) with less work: PTX and cubin are compiled at once, of
// the PTX the traced block alone is emulated, of the machine code a sample with `request.workers`
// threads, and no question is asked. kKernel where nothing can be modelled.
[[nodiscard]] Result<ModelledTime> modelled_time(const StudyRequest& request,
                                                 const DeviceModel& device, std::stop_token stop);

}  // namespace tilescope
