#pragma once

#include <vector>

#include "scene/drawing/canvas.h"

namespace tilescope {

// What an arrow finds on its way from one mark to another.
struct RouteMap {
  Rect room;                        // that it does not leave
  std::vector<Rect> closed = {};    // labels and boxes: it goes round them
  std::vector<Rect> pictures = {};  // it goes round these where that is not far
  std::vector<Rect> crowded = {};   // ways are sought past these, not between what stands in them
  float clear = 9;                  // px that it keeps from a mark that it passes
};

using Path = std::vector<Point>;
[[nodiscard]] float length_of(const Path& path);
// The point after that share, 0..1, of its length.
[[nodiscard]] Point along(const Path& path, float share);

// From a side of `from` to a side of `to`, straight or round corners: the way that crosses the
// fewest closed boxes, through neither of the two; of those the one that is short, has few corners
// and crosses little of the pictures. A line that turns meets its side squarely.
[[nodiscard]] Path route(const RouteMap& map, const Rect& from, const Rect& to);

}  // namespace tilescope
