#include "scene/roofline/roofline_plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope {

void RooflinePlot::Extent::include(double value) {
  if (!std::isfinite(value) || value <= 0) return;
  low_ = low_ == 0 ? value : std::min(low_, value);
  high_ = std::max(high_, value);
}

LogAxis RooflinePlot::Extent::axis(double below, double above, float begin, float end) const {
  const bool none = low_ == 0;
  return {(none ? 1 : low_) / below, (none ? 1 : high_) * above, begin, end};
}

RooflinePlot::RooflinePlot(Pen& pen, const Rect& box, const Extent& intensity, const Extent& rate)
    : pen_(pen),
      box_(box),
      x_(intensity.axis(3, 3, box.x, box.right())),
      y_(rate.axis(3, 2.2, box.bottom(), box.y)),
      labels_(pen, box) {}

void RooflinePlot::draw_grid() {
  const TextStyle y_style = pen_.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const TextStyle x_style = pen_.style(11, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  for (const double tick : ticks_of(y_, pen_.px(22))) {
    const float y = y_.at(tick);
    pen_.canvas.line({box_.x, y}, {box_.right(), y}, ColourRole::kLine, 1);
    pen_.text(box_.x - pen_.px(8), y, tick_words(tick / 1e12), y_style);
  }
  for (const double tick : ticks_of(x_, pen_.px(40))) {
    const float x = x_.at(tick);
    pen_.canvas.line({x, box_.y}, {x, box_.bottom()}, ColourRole::kLine, 1);
    const std::string words = tick_words(tick);
    const float last = box_.right() + pen_.px(4) - pen_.width(words, x_style) / 2;
    pen_.text(std::min(x, last), box_.bottom() + pen_.px(11), words, x_style);
  }
}

void RooflinePlot::keep_mark_free(Point where) {
  marks_.push_back(where);
  const float r = pen_.px(6);
  labels_.keep_free({where.x - r, where.y - r, 2 * r, 2 * r});
}

void RooflinePlot::keep_level_or_upright_free(Point from, Point to) {
  const float x = std::min(from.x, to.x);
  const float y = std::min(from.y, to.y);
  const float w = std::abs(to.x - from.x);
  const float h = std::abs(to.y - from.y);
  labels_.keep_free(w > h ? Rect{x, y - 2, w, h + 4} : Rect{x - 2, y, w + 4, h});
}

void RooflinePlot::mark(Point where, Source source, Paint paint, std::string tooltip) {
  const float r = pen_.px(7);
  pen_.source_mark(where, source, paint);
  pen_.hit({where.x - r, where.y - r, 2 * r, 2 * r}, HitKind::kNone, 0, std::move(tooltip));
}

// Whether a reader takes the words in `box` for those of the mark at `point`; true where none is.
bool RooflinePlot::is_nearest(Point point, const Rect& box) const {
  const auto is_here = [&](Point mark) {
    return std::hypot(mark.x - point.x, mark.y - point.y) < pen_.px(4);
  };
  const auto distance = [&box](Point from) {
    const float x = std::max({box.x - from.x, from.x - box.right(), 0.0f});
    const float y = std::max({box.y - from.y, from.y - box.bottom(), 0.0f});
    return std::hypot(x, y);
  };
  const float own = distance(point) + pen_.px(1);
  return std::ranges::none_of(marks_, is_here) || std::ranges::all_of(marks_, [&](Point mark) {
           return is_here(mark) || distance(mark) >= own;
         });
}

bool RooflinePlot::put_beside(Point point, std::string_view words, TextStyle style) {
  style.align = Align::kLeft;
  const float width = pen_.width(words, style);
  const float half = style.size * 0.65f;
  const float away = pen_.px(9);
  const float right = point.x + away;
  const float left = point.x - away - width;
  const float middle = point.x - width / 2;
  for (const auto& [x, down] :
       {std::pair{right, 0.0f}, std::pair{left, 0.0f}, std::pair{middle, -14.0f},
        std::pair{middle, 14.0f}, std::pair{right, -12.0f}, std::pair{right, 12.0f},
        std::pair{left, -12.0f}, std::pair{left, 12.0f}, std::pair{right, -24.0f},
        std::pair{right, 24.0f}, std::pair{left, -24.0f}, std::pair{left, 24.0f}}) {
    const Point at{x, point.y + pen_.px(down)};
    if (!is_nearest(point, {at.x, at.y - half, width, 2 * half})) continue;
    if (labels_.put({at.x - 2, at.y - half, width + 4, 2 * half}, at, words, style)) return true;
  }
  return false;
}

}  // namespace tilescope
