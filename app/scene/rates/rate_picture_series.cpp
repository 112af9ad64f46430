#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "scene/rates/rate_picture.h"

namespace tilescope {
namespace {

constexpr double kPause = 1;     // seconds between launches that no line joins
constexpr float kApart = 0.45F;  // opacity of what stands apart

}  // namespace

void RatePicture::draw_mark(const ChartMark& mark) {
  const Point on = on_chart(mark.x, mark.rate);
  const float r = pen_.px(3.5F);
  pen_.outline({on.x - r, on.y - r, 2 * r, 2 * r}, ColourRole::kDim, pen_.px(1.3F));
  labels_->keep_free({on.x - r, on.y - r, 2 * r, 2 * r});
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  const std::string words = fmt::format("{} {}", mark.label, figure_words(mark.rate));
  const float width = pen_.width(words, style);
  if (!put({on.x + pen_.px(8), on.y - pen_.px(10)}, words, style)) {
    put({on.x - pen_.px(8) - width, on.y - pen_.px(10)}, words, style);
  }
  pen_.hit({on.x - 2 * r, on.y - 2 * r, 4 * r, 4 * r}, HitKind::kNone, 0,
           fmt::format("{} on a {}, as published; not this code.", figure_.words(mark.rate),
                       mark.label));
}

void RatePicture::reserve(const ChartSeries& series) {
  const float r = pen_.px(8);
  std::optional<Point> before;
  for (const ChartPoint& point : series.points) {
    const Point on = on_chart(point.x, point.rate);
    labels_->keep_free({on.x - r, on.y - r, 2 * r, 2 * r});
    if (before) labels_->keep_line_free(*before, on);
    before = on;
  }
}

Paint RatePicture::paint_of(const ChartSeries& series) {
  return {variant_role(series.variant), series.apart.empty() ? 1 : kApart};
}

void RatePicture::draw_series(const ChartSeries& series) {
  const Paint paint = paint_of(series);
  std::vector<Point> line;
  for (const ChartPoint& point : series.points) line.push_back(on_chart(point.x, point.rate));
  if (line.size() > 1) pen_.canvas.polyline(line, paint, pen_.px(1.6F));
  for (std::size_t i = 0; i < line.size(); ++i) {
    const ChartPoint& point = series.points[i];
    const float high = on_chart(point.x, point.high).y;
    const float low = on_chart(point.x, point.low).y;
    pen_.canvas.fill_rect({line[i].x - pen_.px(1), high, pen_.px(2), std::max(low - high, 1.0F)},
                          Paint(variant_role(series.variant), 0.5F * paint.opacity));
    if (point.chosen && series.apart.empty()) draw_ring(line[i]);
    pen_.canvas.fill_circle(line[i], pen_.px(5.5F), ColourRole::kBackground);
    pen_.source_mark(line[i], point.source, paint);
    const float r = pen_.px(8);
    pen_.hit({line[i].x - r, line[i].y - r, 2 * r, 2 * r}, HitKind::kNone, 0,
             point_words(series, point));
  }
}

void RatePicture::draw_ring(Point center) {
  constexpr int kSides = 32;
  std::vector<Point> ring;
  for (int i = 0; i <= kSides; ++i) {
    const float angle = 6.2831853F * static_cast<float>(i) / kSides;
    ring.push_back(
        {center.x + pen_.px(9) * std::cos(angle), center.y + pen_.px(9) * std::sin(angle)});
  }
  pen_.canvas.polyline(ring, ColourRole::kSelection, pen_.px(1.6F));
}

std::string RatePicture::point_words(const ChartSeries& series, const ChartPoint& point) const {
  std::string words = fmt::format(
      "{} at {}: {} {}, from {} to {}", figure_.names[static_cast<std::size_t>(series.variant)],
      figure_.chart.labels[static_cast<std::size_t>(point.x)], figure_.words(point.rate),
      name_of(point.source), figure_.words(point.low), figure_.words(point.high));
  if (point.reference > 0) {
    words += fmt::format("; {} {}", figure_.reference, figure_.words(point.reference));
  }
  if (series.apart.empty()) return words + ".";
  const Conditions& under = series.under;
  return words + fmt::format(". Taken on {}{}: it stands apart from the others.",
                             under.gpu.empty() ? "a GPU that is not known" : under.gpu,
                             under.driver.empty() ? "" : ", driver " + under.driver);
}

void RatePicture::name_points(const ChartSeries& series) {
  if (!series.apart.empty()) {
    name_apart(series);
    return;
  }
  const TextStyle style = pen_.style(11, variant_role(series.variant), Weight::kMedium);
  if (figure_.chart.series.size() > 1 || series.variant != 0) {
    const Point last = on_chart(series.points.back().x, series.points.back().rate);
    put({last.x + pen_.px(12), last.y}, variant_letter(series.variant),
        pen_.style(12, variant_role(series.variant), Weight::kBold));
  }
  // Those that the sentence speaks of before the others.
  std::vector<const ChartPoint*> points;
  for (const ChartPoint& point : series.points) points.push_back(&point);
  const ChartPoint& best = best_point(figure_, series);
  std::stable_partition(points.begin(), points.end(), [&best](const ChartPoint* point) {
    return point->chosen || point == &best;
  });
  for (const ChartPoint* point : points) name_point(*point, style);
}

// What it was taken on, at the end of its line or else above or below one of its points.
void RatePicture::name_apart(const ChartSeries& series) {
  const TextStyle style = pen_.style(11, ColourRole::kDim, Weight::kMedium);
  const std::string words = variant_letter(series.variant) + " " + series.apart;
  const float width = pen_.width(words, style);
  for (auto point = series.points.rbegin(); point != series.points.rend(); ++point) {
    const Point on = on_chart(point->x, point->rate);
    for (const Point left :
         {Point{on.x + pen_.px(12), on.y}, Point{on.x - width / 2, on.y - pen_.px(17)},
          Point{on.x - width / 2, on.y + pen_.px(17)}, Point{on.x - pen_.px(12) - width, on.y}}) {
      if (put(left, words, style)) return;
    }
  }
}

void RatePicture::name_point(const ChartPoint& point, const TextStyle& style) {
  const std::string words = figure_words(point.rate);
  const float x = on_chart(point.x, point.rate).x;
  const float width = pen_.width(words, style);
  const float high = on_chart(point.x, point.high).y;
  const float low = on_chart(point.x, point.low).y;
  const std::array places{
      Point{x - width / 2, high - pen_.px(17)},          Point{x - width / 2, low + pen_.px(17)},
      Point{x - width - pen_.px(4), high - pen_.px(17)}, Point{x + pen_.px(4), high - pen_.px(17)},
      Point{x - width - pen_.px(4), low + pen_.px(17)},  Point{x + pen_.px(4), low + pen_.px(17)},
      Point{x - width / 2, high - pen_.px(32)},          Point{x - width / 2, low + pen_.px(32)}};
  for (const bool beside_grid : {true, false}) {
    for (const Point left : places) {
      if (beside_grid && is_on_grid(left.y)) continue;
      if (put(left, words, style)) return;
    }
  }
}

void RatePicture::draw_live(const LiveSeries& series) {
  const Paint paint = variant_role(series.variant);
  std::optional<LiveRate> before;
  for (const LiveRate& rate : series.rates) {
    const Point on = at(rate.seconds, rate.rate);
    const bool goes_on =
        before && std::ranges::none_of(figure_.changes, [&](const auto& change) {
          return change.parts && change.seconds > before->seconds && change.seconds <= rate.seconds;
        });
    if (goes_on && rate.seconds - before->seconds < kPause) {
      pen_.canvas.line(at(before->seconds, before->rate), on, paint, pen_.px(1.4F));
    }
    pen_.canvas.fill_circle(on, pen_.px(1.6F), paint);
    before = rate;
  }
}

}  // namespace tilescope
