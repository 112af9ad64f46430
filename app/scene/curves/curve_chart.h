#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/quantity.h"
#include "scene/drawing/pen.h"

namespace tilescope {

// Curves over one number that a person turns, and dots where something was measured.
struct CurveChart {
  struct Axis {
    std::string name;
    double from = 0;
    double to = 1;  // > from
    std::function<std::string(double)> words;

    // Equal distances are equal ratios: from > 0 and a range of 10 times or more.
    [[nodiscard]] bool is_logarithmic() const;
    // 0 at `from`, 1 at `to`; outside of them outside of 0..1.
    [[nodiscard]] double share_of(double value) const;
    [[nodiscard]] double value_at(double share) const;
    // Round values to write at the axis, ascending; about `wanted` of them.
    [[nodiscard]] std::vector<double> ticks(int wanted) const;
  };
  struct Curve {
    std::string name;
    std::vector<std::pair<double, double>> points;  // ascending x
    double now = 0;                                 // its value at `at`
  };
  struct Dot {
    std::string name;
    double x = 0;
    double y = 0;
    Source source = Source::kRecorded;
  };
  Axis x;
  Axis y;
  double at = 0;  // where the number stands on x
  std::vector<Curve> curves;
  std::vector<Dot> dots;

  // Whether the number changes what is drawn; where not, x is an axis and no control.
  [[nodiscard]] bool has_control() const;
};

// Gives all charts one y axis on which their curves and dots have room: from 0, or where it is
// logarithmic from the least. Of one chart at several places of its numbers: the axis holds still.
void fit_y_axis(std::span<CurveChart> charts);
// Gives a chart whose axis is fitted the y axis that it had `before` its number was turned, so that
// the curves move and the axis does not: wider by doublings where they leave it, never narrower.
void keep_y_axis(CurveChart* chart, const CurveChart::Axis& before);

// Draws it with its names above. Returns the rectangle that x and y span, for a pointer.
Rect draw_curve_chart(Pen& pen, const Rect& area, const CurveChart& chart);

}  // namespace tilescope
