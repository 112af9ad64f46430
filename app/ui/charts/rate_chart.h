#pragma once

#include <string>

#include "scene/rates/rate_unit.h"
#include "ui/charts/chart_frame.h"
#include "ui/state/chart_data.h"
#include "ui/state/panel_surface.h"

namespace tilescope {

// What the axis of a chart counts in.
[[nodiscard]] RateScale scale_of(const WindowState& state, const LinkedChart& chart,
                                 const std::string& reference_name);

// A whole chart of series, with the reference, the peak and the roof of the active variant. The
// point under the pointer is state.charts.touched, and a click on it sets what it was measured of.
void draw_rate_chart(PanelSurface& surface, const Rect& area, const char* id,
                     const LinkedChart& chart, const std::string& reference_name);

// Sets the active variant to what a point was measured of.
void go_to(WindowState& state, const ChartKey& key);

}  // namespace tilescope
