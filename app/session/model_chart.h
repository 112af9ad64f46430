#pragma once

#include <string>
#include <vector>

#include "scene/drawing/palette.h"
#include "session/model_check.h"

namespace tilescope {

// Modelled over measured times of these points as a picture: both axes are logarithmic and alike, a
// line shows where they are equal, a band where they differ by at most 20 %, and each family has a
// colour; a point's tooltip names it. SVG; the same points give the same bytes. Points without a
// modelled time are left out. Precondition: there is one that has it.
[[nodiscard]] std::string model_chart(const std::vector<CheckedPoint>& points,
                                      const std::string& gpu, Theme theme);

}  // namespace tilescope
