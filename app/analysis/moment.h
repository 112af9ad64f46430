#pragma once
#include <cstdint>

#include "analysis/kernel_study.h"

namespace tilescope {

// The event of `to` that stands where `event` stood in `from`: the same k-step of the
// warp and the same share of it, so that a changed parameter leaves time alone as far as it can.
[[nodiscard]] std::uint32_t same_moment(const KernelStudy& from, std::uint32_t event,
                                        const KernelStudy& to, std::uint32_t warp);

// The event of another kernel that stands where `event` stands in `from`: the same share of the
// warp's main loop, so the same k-tile of the same problem; of the whole trace where one of them
// has no loop. 0 for an empty trace.
[[nodiscard]] std::uint32_t same_share(const KernelStudy& from, std::uint32_t event,
                                       const KernelStudy& to, std::uint32_t warp);

}  // namespace tilescope
