#pragma once

#include <string>

#include "kernel/launch/file_launch.h"
#include "kernel/launch/launch_form.h"
#include "kernel/source/kernel_signature.h"

namespace tilescope {

// A launch that most kernels of this signature can be seen at: the block as the file itself
// launches it, else __launch_bounds__, else 256 or 16 x 16 threads; 1 Mi elements behind each
// pointer, sizes and grid to fit. `kernel`: one of find_signatures(), empty takes the first.
// `compiled`: the kernel's signature in its PTX (PtxReading::kBodies), where it is known: it says
// what the text does not, as what lies in a structure of a library's template.
[[nodiscard]] LaunchForm guess_launch(const KernelFile& file, const std::string& kernel = "",
                                      const KernelSignature* compiled = nullptr);

// The form of the same or another text of the kernel: fields stay where the signature did.
[[nodiscard]] LaunchForm follow_signature(const LaunchForm& form, const KernelFile& file);

}  // namespace tilescope
