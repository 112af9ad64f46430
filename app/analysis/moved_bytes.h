#pragma once
#include <stop_token>

#include "analysis/kernel_study.h"

namespace tilescope {

// Bytes that a launch's lanes move to and from global memory: sectors of 32 B, counted over a
// sample of blocks of the PTX and scaled. Compiles and emulates: a second or more.
[[nodiscard]] Result<double> moved_bytes(const StudyRequest& request, std::stop_token stop);

}  // namespace tilescope
