#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/rates/rate_picture.h"

namespace tilescope {

void RatePicture::dashed(Point from, Point to, Paint paint) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (length <= 0) return;
  const Point unit{(to.x - from.x) / length, (to.y - from.y) / length};
  for (float begin = 0; begin < length; begin += pen_.px(9)) {
    const float end = std::min(begin + pen_.px(5), length);
    pen_.canvas.line({from.x + unit.x * begin, from.y + unit.y * begin},
                     {from.x + unit.x * end, from.y + unit.y * end}, paint, 1);
  }
}

void RatePicture::write_level(float level, const std::string& words, const TextStyle& style) {
  const float width = pen_.width(words, style);
  const float first = plot_.x + pen_.px(8);
  for (const float y : {level - pen_.px(9), level + pen_.px(9)}) {
    for (float x = first; x + width < plot_.right(); x += plot_.w / 8) {
      if (put({x, y}, words, style)) return;
    }
  }
  unnamed_.push_back(words);
}

void RatePicture::write_beyond(const std::string& words) {
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  const std::string pointing = words + " ↑";
  put({plot_.right() - pen_.px(8) - pen_.width(pointing, style), plot_.y + pen_.px(9)}, pointing,
      style);
}

void RatePicture::draw_level(double rate, const std::string& words, const std::string& tooltip) {
  if (rate / scale_ > axis_.top) {
    write_beyond(words);
    return;
  }
  const Point left = at(first_, rate);
  dashed(left, {plot_.right(), left.y}, ColourRole::kDim);
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  labels_->keep_line_free(left, {plot_.right(), left.y});
  write_level(left.y, words, style);
  pen_.hit({plot_.x, left.y - pen_.px(4), plot_.w, pen_.px(8)}, HitKind::kNone, 0, tooltip);
}

void RatePicture::draw_levels() {
  if (figure_.shows_peak()) {
    draw_level(figure_.peak, "peak " + figure_words(figure_.peak),
               fmt::format("{} is the peak of the {}, from its clock and units.",
                           format_in(figure_.peak, figure_.unit), figure_.device));
  }
  if (figure_.live_reference > 0) {
    draw_level(figure_.live_reference,
               figure_.reference + " " + figure_words(figure_.live_reference),
               fmt::format("{} {} {} at this size.", figure_.reference, reaches(),
                           figure_.words(figure_.live_reference)));
  }
  // Those of other conditions stand apart, and so would their reference: it is in their words
  // alone.
  if (!figure_.chart.series.empty() && figure_.chart.series.front().apart.empty()) {
    draw_reference(figure_.chart.series.front());
  }
}

void RatePicture::draw_reference(const ChartSeries& series) {
  std::vector<const ChartPoint*> known;
  for (const ChartPoint& point : series.points) {
    if (point.reference > 0) known.push_back(&point);
  }
  if (known.empty()) return;
  const auto [low, high] =
      std::ranges::minmax(known, {}, [](const ChartPoint* p) { return p->reference; });
  if (high->reference < 1.1 * low->reference) {
    const auto now = std::ranges::find_if(known, [](const ChartPoint* p) { return p->chosen; });
    const double level =
        now != known.end() ? (*now)->reference : (low->reference + high->reference) / 2;
    draw_level(level, figure_.reference + " " + figure_words(level),
               fmt::format("{}, run in turn with the kernel, {} {}.", figure_.reference, reaches(),
                           figure_.words(level)));
    return;
  }
  if (low->reference / scale_ > axis_.top) {
    write_beyond(figure_.reference);
    return;
  }
  for (std::size_t i = 1; i < known.size(); ++i) {
    const Point from = on_chart(known[i - 1]->x, known[i - 1]->reference);
    const Point to = on_chart(known[i]->x, known[i]->reference);
    dashed(from, to, ColourRole::kDim);
    labels_->keep_line_free(from, to);
  }
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  const float width = pen_.width(figure_.reference, style);
  const Point last = on_chart(known.back()->x, known.back()->reference);
  put({last.x - width, last.y - pen_.px(12)}, figure_.reference, style);
}

void RatePicture::draw_changes() {
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  for (const LiveMoment& change : figure_.changes) {
    const Point foot = at(change.seconds, 0);
    dashed({foot.x, plot_.y}, foot, ColourRole::kFaint);
    put({foot.x + pen_.px(5), plot_.bottom() - pen_.px(12)}, change.label, style);
  }
}

}  // namespace tilescope
