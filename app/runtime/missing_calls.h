#pragma once
#include "runtime/cuda_abi.h"

namespace tilescope::runtime {

// The end of a call of a function that the stand-in lacks: it is named once.
Error missing(const char* name);

}  // namespace tilescope::runtime
