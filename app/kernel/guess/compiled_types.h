#pragma once

#include "kernel/source/kernel_signature.h"

namespace tilescope {

// Gives the signature that a text has, of the compiled kernel's, the bounds of the block and the
// types that the text does not tell, or tells wrongly.
void take_compiled(const KernelSignature& compiled, KernelSignature* signature);

}  // namespace tilescope
