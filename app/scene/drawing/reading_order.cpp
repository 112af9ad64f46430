#include "scene/drawing/reading_order.h"

#include <algorithm>
#include <numeric>

namespace tilescope {

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
