#pragma once
#include "runtime/cuda_abi.h"

namespace tilescope::runtime {

// What a function that the stand-in lacks returns: kNotSupported. The report names each once.
Error missing(const char* name);

}  // namespace tilescope::runtime
