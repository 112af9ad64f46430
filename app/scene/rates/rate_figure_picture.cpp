#include <fmt/format.h>

#include <algorithm>

#include "scene/drawing/empty_view.h"
#include "scene/rates/rate_picture.h"

namespace tilescope {

RatePicture::RatePicture(Pen& pen, const Rect& area, const RateFigure& figure)
    : pen_(pen),
      area_(area),
      figure_(figure),
      unit_(scale_for(figure.unit, figure.largest(), figure.reference)),
      scale_(unit_.divisor) {
  place();
}

void RatePicture::draw() {
  draw_heading();
  draw_grid();
  for (const ChartSeries& series : figure_.chart.series) reserve(series);
  draw_levels();
  if (figure_.over == RateFigure::Over::kTime) {
    draw_changes();
    for (const LiveSeries& series : figure_.live) draw_live(series);
  } else {
    for (const ChartMark& mark : figure_.chart.marks) draw_mark(mark);
    for (const ChartSeries& series : figure_.chart.series) draw_series(series);
    for (const ChartSeries& series : figure_.chart.series) name_points(series);
  }
  draw_legend();
}

bool RatePicture::put(Point left, const std::string& words, const TextStyle& style) {
  const Rect box{left.x, left.y - pen_.px(7), pen_.width(words, style), pen_.px(14)};
  return labels_->put(box, left, words, style);
}

bool RatePicture::has(Source source) const {
  if (figure_.over == RateFigure::Over::kTime) return source == figure_.live_source;
  return std::ranges::any_of(figure_.chart.series, [source](const ChartSeries& series) {
    return std::ranges::any_of(
        series.points, [source](const ChartPoint& point) { return point.source == source; });
  });
}

std::vector<std::pair<Paint, std::string>> RatePicture::lines() const {
  std::vector<std::pair<Paint, std::string>> all;
  const auto add = [&](int variant, Paint paint, const std::string& apart) {
    std::string words = fmt::format("{} {}", variant_letter(variant),
                                    figure_.names[static_cast<std::size_t>(variant)]);
    if (!apart.empty()) words += ", " + apart;
    all.emplace_back(paint, std::move(words));
  };
  for (const ChartSeries& series : figure_.chart.series) {
    add(series.variant, paint_of(series), series.apart);
  }
  for (const LiveSeries& series : figure_.live) {
    if (!series.rates.empty()) add(series.variant, variant_role(series.variant), {});
  }
  return all;
}

void RatePicture::draw_legend() {
  if (!around_.has_legend) return;
  const float y = area_.bottom() - pen_.px(8);
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  float x = plot_.x;
  const float right = around_.has_title_row ? area_.right() : before_x_title();
  const auto room_for = [&](const std::string& words) {
    return x + pen_.px(16) + pen_.width(words, style) <= right;
  };
  const auto write = [&](const std::string& words) {
    pen_.text(x + pen_.px(16), y, words, style);
    x += pen_.px(34) + pen_.width(words, style);
  };
  for (const auto& [paint, words] : lines()) {
    const std::string fitted = pen_.fitted(words, style, right - x - pen_.px(16));
    if (fitted.empty()) return;
    pen_.canvas.line({x, y}, {x + pen_.px(11), y}, paint, pen_.px(2));
    write(fitted);
  }
  for (const std::string& words : unnamed_) {
    if (!room_for(words)) continue;
    dashed({x, y}, {x + pen_.px(11), y}, ColourRole::kDim);
    write(words);
  }
  for (const Source source : {Source::kMeasured, Source::kRecorded}) {
    const std::string words(name_of(source));
    if (!has(source) || !room_for(words)) continue;
    pen_.source_mark({x + pen_.px(6), y}, source, ColourRole::kDim);
    write(words);
  }
  const std::string published = "published, another GPU and not this code";
  if (!figure_.chart.marks.empty() && room_for(published)) {
    const float r = pen_.px(3.5F);
    pen_.outline({x + pen_.px(6) - r, y - r, 2 * r, 2 * r}, ColourRole::kDim, pen_.px(1.3F));
    write(published);
  }
}

std::string ago_words(double seconds) {
  if (seconds < 0.5) return "now";
  return seconds < 90 ? fmt::format("-{:.0f} s", seconds)
                      : fmt::format("-{:.1f} min", seconds / 60);
}

void draw_rate_figure(Canvas& canvas, const Rect& area, const ViewContext& context,
                      const RateFigure& figure) {
  Pen pen(canvas, context);
  if (!has_room(pen, area, kLeastRateFigure)) return;
  if (figure.empty()) {
    if (figure.lacks_unit) {
      draw_empty(pen, area, "This unit has no value here", plain(rate_sentence(figure)));
      return;
    }
    draw_empty(pen, area, "Nothing is known to draw",
               "A measurement fills this chart: tilescope sweep, or the window on a machine with a "
               "GPU.");
    return;
  }
  RatePicture(pen, area, figure).draw();
}

}  // namespace tilescope
