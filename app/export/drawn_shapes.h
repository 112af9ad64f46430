#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "scene/canvas.h"

namespace tilescope {

// Shapes that every exporting canvas draws alike.

// The diagonal lines of a hatch, cut to the rectangle.
[[nodiscard]] std::vector<std::pair<Point, Point>> hatch_lines(const Rect& rect, float spacing);

// The visible part of a grid as rectangles of equal heat. Cells smaller than a pixel are put
// together, the hottest of them wins.
struct HeatRect {
  Rect rect;
  std::uint8_t heat = 0;
};
[[nodiscard]] std::vector<HeatRect> heat_rects(const Rect& rect, const CellGrid& grid,
                                               const CellWindow& window);

// Lines between cells, where these are large enough to be told apart; else none.
[[nodiscard]] std::vector<std::pair<Point, Point>> cell_lines(const Rect& rect,
                                                              const CellGrid& grid,
                                                              const CellWindow& window);

}  // namespace tilescope
