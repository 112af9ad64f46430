#pragma once
#include "kernel/instance.h"

namespace tilescope {

// Whether both launch the same text in the same way on the same inputs: a measurement of one is one
// of the other.
[[nodiscard]] bool same_instance(const KernelInstance& a, const KernelInstance& b);

}  // namespace tilescope
