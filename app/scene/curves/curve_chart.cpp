#include "scene/curves/curve_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "scene/drawing/labels.h"

namespace tilescope {
namespace {

constexpr double kLogarithmicFrom = 10;  // times
constexpr std::array kColours{ColourRole::kFirst, ColourRole::kSecond, ColourRole::kThird,
                              ColourRole::kFourth};
constexpr float kNameRow = 22;  // of a curve's name above the plot

Paint colour_of(std::size_t curve) { return kColours.at(curve % kColours.size()); }

struct Plot {
  const CurveChart& chart;
  Rect area;
  [[nodiscard]] Point at(double x, double y) const {
    return {area.x + area.w * static_cast<float>(chart.x.share_of(x)),
            area.bottom() - area.h * static_cast<float>(chart.y.share_of(y))};
  }
};

void draw_names(Pen& pen, const Rect& area, const CurveChart& chart) {
  float y = area.y + pen.px(kNameRow / 2);
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const CurveChart::Curve& curve = chart.curves[i];
    pen.canvas.line({area.x, y}, {area.x + pen.px(18), y}, colour_of(i), pen.px(3));
    const TextStyle name = pen.style(13);
    const float x = area.x + pen.px(26);
    pen.text(x, y, curve.name, name);
    pen.text(x + pen.width(curve.name, name) + pen.px(10), y, chart.y.words(curve.now),
             pen.style(13, ColourRole::kStrong, Weight::kBold));
    y += pen.px(kNameRow);
  }
}

void draw_axes(Pen& pen, const Plot& plot) {
  const TextStyle left = pen.style(11.5F, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const int rows = std::max(2, static_cast<int>(plot.area.h / pen.px(56)));
  for (const double tick : plot.chart.y.ticks(rows)) {
    const float y = plot.at(plot.chart.x.from, tick).y;
    pen.canvas.line({plot.area.x, y}, {plot.area.right(), y}, ColourRole::kLine, 1);
    pen.text(plot.area.x - pen.px(8), y, plot.chart.y.words(tick), left);
  }
  const TextStyle below = pen.style(11.5F, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  const int columns = std::max(2, static_cast<int>(plot.area.w / pen.px(90)));
  for (const double tick : plot.chart.x.ticks(columns)) {
    const float x = plot.at(tick, plot.chart.y.from).x;
    pen.canvas.line({x, plot.area.bottom()}, {x, plot.area.bottom() + pen.px(4)}, ColourRole::kLine,
                    1);
    pen.text(x, plot.area.bottom() + pen.px(14), plot.chart.x.words(tick), below);
  }
  pen.text(plot.area.center().x, plot.area.bottom() + pen.px(34), plot.chart.x.name,
           pen.style(12.5F, ColourRole::kText, Weight::kMedium, Align::kCenter));
}

void draw_curves(Pen& pen, const Plot& plot, FreeLabels* free) {
  for (std::size_t i = 0; i < plot.chart.curves.size(); ++i) {
    std::vector<Point> line;
    for (const auto& [x, y] : plot.chart.curves[i].points) line.push_back(plot.at(x, y));
    pen.canvas.polyline(line, colour_of(i), pen.px(2.5F));
    for (std::size_t k = 1; k < line.size(); ++k) free->keep_line_free(line[k - 1], line[k]);
  }
}

// Where the number stands: a line, and a ring on each curve.
void draw_now(Pen& pen, const Plot& plot, FreeLabels* free) {
  const float x = plot.at(plot.chart.at, plot.chart.y.from).x;
  pen.canvas.line({x, plot.area.y}, {x, plot.area.bottom()}, ColourRole::kSelection, 1);
  free->keep_line_free({x, plot.area.y}, {x, plot.area.bottom()});
  for (std::size_t i = 0; i < plot.chart.curves.size(); ++i) {
    const Point at = plot.at(plot.chart.at, plot.chart.curves[i].now);
    pen.canvas.fill_circle(at, pen.px(6), ColourRole::kSelection);
    pen.canvas.fill_circle(at, pen.px(4), colour_of(i));
  }
}

void draw_dots(Pen& pen, const Plot& plot, FreeLabels* free) {
  for (const CurveChart::Dot& dot : plot.chart.dots) {
    const Point at = plot.at(dot.x, dot.y);
    free->keep_free({at.x - pen.px(6), at.y - pen.px(6), pen.px(12), pen.px(12)});
  }
  const TextStyle style = pen.style(12, ColourRole::kText);
  for (const CurveChart::Dot& dot : plot.chart.dots) {
    const Point at = plot.at(dot.x, dot.y);
    pen.source_mark(at, dot.source, ColourRole::kStrong);
    const float width = pen.width(dot.name, style);
    const float half = pen.px(9);
    const float beside = pen.px(9);
    const float above = pen.px(17);
    for (const Point left :
         {Point{at.x + beside, at.y}, Point{at.x - beside - width, at.y},
          Point{at.x - width / 2, at.y + above}, Point{at.x - width / 2, at.y - above},
          Point{at.x + beside, at.y + above}, Point{at.x - beside - width, at.y - above},
          Point{at.x - beside - width, at.y + above}}) {
      if (free->put({left.x, left.y - half, width, 2 * half}, left, dot.name, style)) break;
    }
    const std::string words =
        dot.name + ": " + plot.chart.y.words(dot.y) + " (" + std::string(name_of(dot.source)) + ")";
    pen.hit({at.x - pen.px(8), at.y - pen.px(8), pen.px(16), pen.px(16)}, HitKind::kNone, 0, words);
  }
}

}  // namespace

bool CurveChart::Axis::is_logarithmic() const { return from > 0 && to / from >= kLogarithmicFrom; }

double CurveChart::Axis::share_of(double value) const {
  if (is_logarithmic()) return std::log(std::max(value, from / 1e6) / from) / std::log(to / from);
  return (value - from) / (to - from);
}

double CurveChart::Axis::value_at(double share) const {
  if (is_logarithmic()) return from * std::pow(to / from, share);
  return from + share * (to - from);
}

std::vector<double> CurveChart::Axis::ticks(int wanted) const {
  std::vector<double> values;
  if (is_logarithmic()) {
    const bool by_twos = from >= 1 && std::log2(from) == std::floor(std::log2(from));
    if (by_twos) {  // 1, 2, 4 … or 1, 4, 16 …, as many as there is room for
      double factor = 2;
      while (std::log(to / from) / std::log(factor) > wanted) factor *= 2;
      for (double value = from; value <= to * (1 + 1e-9); value *= factor) values.push_back(value);
      return values;
    }
    const double decades = std::log10(to / from);
    for (double power = std::pow(10, std::floor(std::log10(from))); power <= to; power *= 10) {
      for (const double each : {1.0, 2.0, 5.0}) {
        const bool has_room = each == 1 || 3 * decades <= 1.5 * wanted;
        const double value = each * power;
        if (has_room && value >= from && value <= to) values.push_back(value);
      }
    }
    return values;
  }
  const double rough = (to - from) / std::max(wanted, 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double each : {5.0, 2.0, 1.0}) {
    if (each * power >= rough) step = each * power;
  }
  for (double k = std::ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; ++k) {
    values.push_back(k * step + 0.0);  // no -0
  }
  return values;
}

bool CurveChart::has_control() const {
  return std::ranges::any_of(curves, [](const Curve& curve) {
    return std::ranges::any_of(
        curve.points, [&](const auto& point) { return point.second != curve.points[0].second; });
  });
}

namespace {

// The least and the most that they draw; the least is more than the most where nothing is drawn.
std::pair<double, double> values_of(std::span<const CurveChart> charts) {
  double least = std::numeric_limits<double>::max();
  double most = std::numeric_limits<double>::lowest();
  const auto take = [&](double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  };
  for (const CurveChart& chart : charts) {
    for (const CurveChart::Curve& curve : chart.curves) {
      for (const auto& [x, y] : curve.points) take(y);
    }
    for (const CurveChart::Dot& dot : chart.dots) take(dot.y);
  }
  return {least, most};
}

}  // namespace

void fit_y_axis(std::span<CurveChart> charts) {
  const auto [least, most] = values_of(charts);
  if (least > most) return;
  CurveChart::Axis fitted;
  fitted.from = least;
  fitted.to = most;
  if (fitted.is_logarithmic()) {
    fitted.to = most * 1.15;
  } else {
    fitted.from = std::min(0.0, least);
    fitted.to = most > fitted.from ? most + 0.06 * (most - fitted.from) : fitted.from + 1;
  }
  for (CurveChart& chart : charts) {
    chart.y.from = fitted.from;
    chart.y.to = fitted.to;
  }
}

void keep_y_axis(CurveChart* chart, const CurveChart::Axis& before) {
  const auto [least, most] = values_of({chart, 1});
  if (least > most || before.to <= before.from) return;
  if (least >= before.from) chart->y.from = before.from;
  double to = before.to;
  while (to < most) to = chart->y.from + 2 * (to - chart->y.from);
  chart->y.to = to;
}

Rect draw_curve_chart(Pen& pen, const Rect& area, const CurveChart& chart) {
  draw_names(pen, area, chart);
  float room = 0;  // for the values at the left
  const TextStyle style = pen.style(11.5F);
  for (const double tick : chart.y.ticks(8)) {
    room = std::max(room, pen.width(chart.y.words(tick), style));
  }
  const float head = pen.px(kNameRow * static_cast<float>(chart.curves.size()) + 14);
  const float foot = pen.px(46);
  const float left = room + pen.px(10);
  const Plot plot{chart,
                  {area.x + left, area.y + head, std::max(1.0F, area.w - left - pen.px(12)),
                   std::max(1.0F, area.h - head - foot)}};
  draw_axes(pen, plot);
  FreeLabels free(pen, plot.area);
  draw_curves(pen, plot, &free);
  if (chart.has_control()) draw_now(pen, plot, &free);
  draw_dots(pen, plot, &free);
  return plot.area;
}

}  // namespace tilescope
