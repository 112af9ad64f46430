#pragma once
#include <string>

#include "scene/rate_unit.h"
#include "ui/chart_data.h"
#include "ui/sheet.h"

namespace tilescope {

inline constexpr float kChartTitle = 28;  // units that a chart's title takes

// A chart's frame: values upwards from 0 to a round figure, something else along x.
struct ChartFrame {
  Rect area;  // units, without the title
  RateUnit unit = RateUnit::kFlopPerSecond;
  RateScale scale;
  double top = 1;  // of the value axis, in scale.word
  int ticks = 2;   // steps of it
  double x_low = 0;
  double x_high = 1;
};
// Below `title_area`'s title, up to the round figure above `most` (a value in `unit`).
[[nodiscard]] ChartFrame chart_frame(const Rect& title_area, double most, const RateScale& scale,
                                     RateUnit unit);

// Opens the ImPlot chart; set up the x ticks, then ImPlot::SetupFinish(). False: not visible.
[[nodiscard]] bool begin_chart(Sheet& sheet, const char* id, const ChartFrame& frame);
void end_chart();

enum class LevelWords : std::uint8_t { kLeft, kCentre, kRight };
// A dashed line across at a value (in the frame's unit), with its words.
void draw_level(const Sheet& sheet, const ChartFrame& frame, double value, const std::string& words,
                LevelWords place = LevelWords::kLeft);

void draw_chart_title(Sheet& sheet, const Rect& area, const std::string& words,
                      const std::string& more);

[[nodiscard]] ColourRole variant_colour(int variant);

// The tooltip of a point; call it where the pointer is on one.
void explain_point(Sheet& sheet, const std::string& figure, const std::string& more);

// What the axis of a chart counts in.
[[nodiscard]] RateScale scale_of(const Desk& desk, const LinkedChart& chart,
                                 const std::string& reference_name);

// A whole chart of series, with the reference, the peak and the roof of the active variant. The
// point under the pointer is desk.charts.touched, and a click on it sets what it was measured of.
void draw_rate_chart(Sheet& sheet, const Rect& area, const char* id, const LinkedChart& chart,
                     const std::string& reference_name);

// Sets the active variant to what a point was measured of.
void go_to(Desk& desk, const ChartKey& key);

}  // namespace tilescope
