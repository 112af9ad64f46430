#pragma once

#include "core/dim3.h"
#include "kernel/launch/host_launch.h"
#include "kernel/launch/launch_guess.h"
#include "kernel/source/kernel_signature.h"

namespace tilescope {

// Gives a guess the launch as the host writes it, where all of its numbers are known and are not
// too many: whoever wrote it knows what fits together. A line of more elements than can be looked
// at in a moment becomes a part of it. False: the form is as it was.
[[nodiscard]] bool take_written_launch(const KernelFile& file, const KernelSignature& signature,
                                       const HostLaunch& launched, const Dim3& block,
                                       LaunchForm* form);

}  // namespace tilescope
