#pragma once
#include <string>

#include "ui/drawing/sheet.h"

namespace tilescope {

// Throughput over time: a point a launch as it comes, uprights where a parameter changed. The wheel
// changes how much time is shown, a drag moves through it, a double click follows the present
// again. A point under the pointer is desk.charts.touched; a click on it sets what it was measured
// of. False: nothing was measured in the time that is shown.
bool draw_live_chart(Sheet& sheet, const Rect& area, const std::string& reference_name);

// What its axis is in: "GB/s"; empty where nothing was measured.
[[nodiscard]] std::string live_unit_word(const Desk& desk, const std::string& reference_name);

// The wheel and the drag; seconds and steps may be of either sign.
void zoom_live(ChartState& charts, float steps, double now);
void scroll_live(ChartState& charts, double seconds, double now);

}  // namespace tilescope
