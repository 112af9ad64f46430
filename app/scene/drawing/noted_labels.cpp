#include "scene/drawing/noted_labels.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope {

std::pair<float, float> stretch_in(Point from, Point to, const Rect& rect) {
  float first = 0;
  float last = 1;
  const auto narrow = [&](float start, float way, float low, float high) {
    if (std::abs(way) < 1e-6f) {
      if (start <= low || start >= high) last = 0;
      return;
    }
    const auto [enter, leave] = std::minmax({(low - start) / way, (high - start) / way});
    first = std::max(first, enter);
    last = std::min(last, leave);
  };
  narrow(from.x, to.x - from.x, rect.x, rect.right());
  narrow(from.y, to.y - from.y, rect.y, rect.bottom());
  return {first, last};
}

void NotedLabels::text(Point where, std::string_view utf8, const TextStyle& style) {
  target().text(where, utf8, style);
  if (utf8.empty()) return;
  const float w = target().text_width(utf8, style);
  const float x = style.align == Align::kCenter  ? where.x - w / 2
                  : style.align == Align::kRight ? where.x - w
                                                 : where.x;
  labels_.push_back({x, where.y - style.size / 2, w, style.size});
}

void NotedLabels::hit(const Rect& rect, Hit what) {
  if (what.kind == HitKind::kSetting) labels_.push_back(rect);
  target().hit(rect, std::move(what));
}

void NotedLabels::line_between(Point from, Point to, Paint paint, float width, float clear,
                               std::span<const Rect> boxes) {
  std::vector<std::pair<float, float>> gaps;
  for (const std::span<const Rect> places : {std::span<const Rect>(labels_), boxes}) {
    for (const Rect& place : places) {
      const auto gap = stretch_in(from, to, place.inset(-clear));
      if (gap.first < gap.second) gaps.push_back(gap);
    }
  }
  std::ranges::sort(gaps);
  const auto at = [&](float share) {
    return Point{from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
  };
  float drawn = 0;  // as far as it is
  for (const auto& [first, last] : gaps) {
    if (first > drawn) target().line(at(drawn), at(first), paint, width);
    drawn = std::max(drawn, last);
  }
  if (drawn < 1) target().line(at(drawn), to, paint, width);
}

}  // namespace tilescope
