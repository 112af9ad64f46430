#pragma once
#include "emulator/decode/kernel_decoder.h"

namespace tilescope {

// Gives the instructions of called functions the phase that the kernel's calls stand in. A function
// that is called in several phases has none of its own (-1).
void hand_phases_to_callees(DecodedKernel& kernel);

}  // namespace tilescope
