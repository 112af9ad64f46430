#pragma once
#include <string>

#include "ui/chart_data.h"
#include "ui/sheet.h"

namespace tilescope {

inline constexpr float kChartTitle = 28;  // units that a chart's title takes

// A chart's frame: rates upwards from 0 to a round figure, something else along x.
struct ChartFrame {
  Rect area;       // units, without the title
  double top = 1;  // of the rate axis, in scale_of(unit)
  int ticks = 2;   // steps of it
  double x_low = 0;
  double x_high = 1;
};
// Below `title_area`'s title, up to the round figure above `most` (a rate).
[[nodiscard]] ChartFrame chart_frame(const Rect& title_area, double most, Unit unit);

// Opens the ImPlot chart; set up the x ticks, then ImPlot::SetupFinish(). False: not visible.
[[nodiscard]] bool begin_chart(Sheet& sheet, const char* id, const ChartFrame& frame);
void end_chart();
// A dashed line across at a rate, with its words.
void draw_level(const Sheet& sheet, const ChartFrame& frame, double level,
                const std::string& words);

void draw_chart_title(Sheet& sheet, const Rect& area, const std::string& words,
                      const std::string& more);

[[nodiscard]] ColourRole variant_colour(int variant);

// A whole chart of series, with the reference and the peak of the active variant's problem.
void draw_rate_chart(Sheet& sheet, const Rect& area, const char* id, const RateChart& chart,
                     const std::string& reference_name);

}  // namespace tilescope
