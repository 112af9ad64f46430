#include "scene/drawing/labels.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tilescope {

void FreeLabels::keep_line_free(Point from, Point to) {
  const int pieces = from.x == to.x || from.y == to.y ? 1 : 16;
  for (int i = 0; i < pieces; ++i) {
    const float begin = static_cast<float>(i) / static_cast<float>(pieces);
    const float end = static_cast<float>(i + 1) / static_cast<float>(pieces);
    const float x0 = from.x + (to.x - from.x) * begin;
    const float x1 = from.x + (to.x - from.x) * end;
    const float y0 = from.y + (to.y - from.y) * begin;
    const float y1 = from.y + (to.y - from.y) * end;
    keep_free({std::min(x0, x1), std::min(y0, y1) - 1, std::abs(x1 - x0), std::abs(y1 - y0) + 2});
  }
}

bool FreeLabels::put(const Rect& box, Point left, std::string_view words, const TextStyle& style) {
  if (box.x < inside_.x || box.right() > inside_.right() || box.y < inside_.y ||
      box.bottom() > inside_.bottom()) {
    return false;
  }
  const bool overlaps = std::ranges::any_of(taken_, [&box](const Rect& other) {
    return box.x < other.right() && other.x < box.right() && box.y < other.bottom() &&
           other.y < box.bottom();
  });
  if (overlaps) return false;
  put_anyway(box, left, words, style);
  return true;
}

void FreeLabels::put_anyway(const Rect& box, Point left, std::string_view words,
                            const TextStyle& style) {
  keep_free(box);
  pen_.canvas.fill_rect(box, Paint(ColourRole::kBackground, 0.8f), 2);  // over lines of a grid
  pen_.text(left.x, left.y, words, style);
}

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

std::vector<std::size_t> reading_order(std::span<const Rect> marks) {
  std::vector<std::size_t> order(marks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return marks[i].y; });
  for (std::size_t begin = 0; begin < order.size();) {
    const float middle = marks[order[begin]].center().y;
    std::size_t end = begin + 1;
    while (end < order.size() && marks[order[end]].y < middle) ++end;
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
                     order.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](std::size_t a, std::size_t b) { return marks[a].x < marks[b].x; });
    begin = end;
  }
  return order;
}

}  // namespace tilescope
