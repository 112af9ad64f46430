#pragma once

#include <cstdint>

#include "core/dim3.h"
#include "kernel/host/launch_site.h"
#include "kernel/launch/launch_form.h"
#include "kernel/source/kernel_signature.h"

namespace tilescope {

// Elements along one axis, where nothing says how many; along each of two or more there are as many
// together.
inline constexpr std::uint32_t kLineBits = 20;
inline constexpr std::uint32_t kLine = 1u << kLineBits;

// Gives a guess the launch as the host writes it, where all of its numbers are known and are not
// too many: whoever wrote it knows what fits together. A line of more elements than can be looked
// at in a moment becomes a part of it. False: the form is as it was.
[[nodiscard]] bool take_launch_as_written(const KernelFile& file, const KernelSignature& signature,
                                          const LaunchSite& launched, const Dim3& block,
                                          LaunchForm* form);

}  // namespace tilescope
