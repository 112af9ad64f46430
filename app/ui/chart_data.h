#pragma once
#include "scene/rate_chart_data.h"
#include "ui/desk.h"

namespace tilescope {

// The newest measurement of each value of a parameter, all other parameters and the size being each
// variant's own; what was recorded of exactly that where nothing was measured.
[[nodiscard]] RateChart chart_over_parameter(const Desk& desk, const ParameterSpec& spec);

// The same over every size at which a variant's parameters were measured or recorded, for the
// variants of the active one's problem.
[[nodiscard]] RateChart chart_over_size(const Desk& desk);

}  // namespace tilescope
