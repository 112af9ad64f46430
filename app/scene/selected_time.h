#pragma once
#include <cstdint>

#include "analysis/warp_time.h"
#include "scene/prepared.h"

namespace tilescope {

// The block's time as this warp goes through it. Precondition: a traced study with an event. Valid
// as long as both are.
[[nodiscard]] WarpTime time_of(const KernelStudy& study, const PreparedStudy& prepared,
                               std::uint32_t warp);

}  // namespace tilescope
