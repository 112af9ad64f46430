#pragma once
#include <array>

#include "analysis/comparison.h"
#include "analysis/launch_work.h"

namespace tilescope {

// How much of the time model's ratio between two launches each part of their work explains: the
// base's time over the other's, as factors that multiply to the whole ratio. The Shapley value of
// the logarithm of the modelled time: 2^kParts launches that have some parts from the one and some
// from the other.
[[nodiscard]] std::array<double, kParts> time_shares(const LaunchWork& base,
                                                     const LaunchWork& other,
                                                     const MachineRates& rates);

}  // namespace tilescope
