#include "scene/drawing/free_labels.h"

#include <algorithm>
#include <cmath>

namespace tilescope {

void FreeLabels::keep_line_free(Point from, Point to) {
  constexpr int kPieces = 16;
  for (int i = 0; i < kPieces; ++i) {
    const float begin = static_cast<float>(i) / kPieces;
    const float end = static_cast<float>(i + 1) / kPieces;
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
  keep_free(box);
  pen_.canvas.fill_rect(box, Paint(ColourRole::kBackground, 0.8f), 2);  // over lines of a grid
  pen_.text(left.x, left.y, words, style);
  return true;
}

}  // namespace tilescope
