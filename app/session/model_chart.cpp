#include "session/model_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/quantity.h"
#include "export/font_library.h"
#include "export/svg_canvas.h"
#include "scene/curves/curve_chart.h"
#include "scene/drawing/pen.h"

namespace tilescope {
namespace {

constexpr float kWidth = 760;  // px
constexpr float kHeight = 640;
constexpr float kLegend = 150;
constexpr double kBand = 1.2;
constexpr std::array kColours{ColourRole::kFirst, ColourRole::kSecond, ColourRole::kThird,
                              ColourRole::kFourth, ColourRole::kExcess};

struct Chart {
  Rect plot;
  CurveChart::Axis axis;  // of both
  [[nodiscard]] Point at(double measured, double modelled) const {
    return {plot.x + plot.w * static_cast<float>(axis.share_of(measured)),
            plot.bottom() - plot.h * static_cast<float>(axis.share_of(modelled))};
  }
};

std::string family_of(const CheckedPoint& point) {
  return point.instance.id.substr(0, point.instance.id.find('/'));
}

CurveChart::Axis axis_of(const std::vector<CheckedPoint>& points) {
  constexpr double kMargin = 1.3;
  CurveChart::Axis axis;
  axis.from = 1e9;
  axis.to = 0;
  for (const CheckedPoint& point : points) {
    if (point.modelled <= 0) continue;
    axis.from = std::min({axis.from, point.measured / kMargin, point.modelled / kMargin});
    axis.to = std::max({axis.to, point.measured * kMargin, point.modelled * kMargin});
  }
  axis.to = std::max(axis.to, axis.from * 10);
  return axis;
}

void draw_axes(Pen& pen, const Chart& chart) {
  const Rect& plot = chart.plot;
  const TextStyle left = pen.style(11.5F, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const TextStyle below = pen.style(11.5F, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  for (const double tick : chart.axis.ticks(5)) {
    const Point at = chart.at(tick, tick);
    pen.canvas.line({plot.x, at.y}, {plot.right(), at.y}, ColourRole::kLine, 1);
    pen.canvas.line({at.x, plot.y}, {at.x, plot.bottom()}, ColourRole::kLine, 1);
    pen.text(plot.x - 8, at.y, format_time(tick), left);
    pen.text(at.x, plot.bottom() + 14, format_time(tick), below);
  }
  pen.text(plot.center().x, plot.bottom() + 34, "measured time",
           pen.style(12.5F, ColourRole::kText, Weight::kMedium, Align::kCenter));
  pen.text(plot.x, plot.y - 14, "modelled time",
           pen.style(12.5F, ColourRole::kText, Weight::kMedium));
}

void draw_band(Pen& pen, const Chart& chart) {
  const double from = chart.axis.from;
  const double to = chart.axis.to;
  const std::array band{chart.at(from, from),     chart.at(from, from * kBand),
                        chart.at(to / kBand, to), chart.at(to, to),
                        chart.at(to, to / kBand), chart.at(from * kBand, from)};
  pen.canvas.fill_polygon(band, Paint(ColourRole::kIdeal, 0.18F));
  pen.canvas.line(chart.at(from, from), chart.at(to, to), ColourRole::kIdeal, 1.5F);
}

}  // namespace

std::string model_chart(const std::vector<CheckedPoint>& points, const std::string& gpu,
                        Theme theme) {
  const FontLibrary fonts;
  SvgCanvas canvas(kWidth, kHeight, theme, fonts);
  Pen pen(canvas, {.theme = theme, .text_scale = 1, .on_paper = true});
  canvas.fill_rect({0, 0, kWidth, kHeight}, ColourRole::kBackground, 0);
  const ModelErrors errors = model_errors(points).back();
  pen.text(24, 26, fmt::format("Modelled and measured times, {}", gpu),
           pen.style(16, ColourRole::kText, Weight::kSemibold));
  pen.text(
      24, 50,
      fmt::format("{} cold runs: mean error {:.1f} %, median {:.1f} %, {:.0f} % of them within "
                  "20 % (band)",
                  errors.points, errors.mean * 100, errors.median * 100, errors.within_fifth * 100),
      pen.style(13, ColourRole::kDim));
  const Chart chart{{84, 96, kWidth - 84 - kLegend, kHeight - 96 - 56}, axis_of(points)};
  draw_axes(pen, chart);
  canvas.push_clip(chart.plot);
  draw_band(pen, chart);
  std::vector<std::string> families;
  for (const CheckedPoint& point : points) {
    if (point.modelled <= 0) continue;
    const std::string family = family_of(point);
    auto found = std::ranges::find(families, family);
    if (found == families.end()) found = families.insert(families.end(), family);
    const auto index = static_cast<std::size_t>(found - families.begin());
    const Point at = chart.at(point.measured, point.modelled);
    // A second round through the colours has rings.
    const Paint paint = kColours.at(index % kColours.size());
    canvas.fill_circle(at, 3.5F, paint);
    if (index >= kColours.size()) canvas.fill_circle(at, 1.8F, ColourRole::kBackground);
    pen.hit(
        {at.x - 4, at.y - 4, 8, 8}, HitKind::kNone, 0,
        fmt::format("{} {}: modelled {}, measured {}", point.instance.id, size_of(point.instance),
                    format_time(point.modelled), format_time(point.measured)));
  }
  canvas.pop_clip();
  pen.outline(chart.plot, ColourRole::kLine);
  float y = chart.plot.y + 10;
  for (std::size_t i = 0; i < families.size(); ++i, y += 22) {
    const Point at{chart.plot.right() + 24, y};
    canvas.fill_circle(at, 4, kColours.at(i % kColours.size()));
    if (i >= kColours.size()) canvas.fill_circle(at, 2, ColourRole::kBackground);
    pen.text(at.x + 12, y, families[i], pen.style(13));
  }
  return canvas.document("Modelled and measured times, " + gpu);
}

}  // namespace tilescope
