#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "export/cairo_types.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/palette.h"

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

// The visible cells, put together so that each is at least a pixel wide and high.
struct HeatRaster {
  std::uint32_t first_row = 0;
  std::uint32_t first_col = 0;
  std::uint32_t rows = 0;  // after putting together
  std::uint32_t cols = 0;
  std::uint32_t row_step = 1;  // cells of the grid in one
  std::uint32_t col_step = 1;
};
[[nodiscard]] HeatRaster heat_raster(const Rect& rect, const CellGrid& grid,
                                     const CellWindow& window);
// The most of the cells that are put together there.
[[nodiscard]] std::uint8_t hottest(const CellGrid& grid, const HeatRaster& raster, std::uint32_t r,
                                   std::uint32_t c);

// Lines between cells, where these are large enough to be told apart; else none.
[[nodiscard]] std::vector<std::pair<Point, Point>> cell_lines(const Rect& rect,
                                                              const CellGrid& grid,
                                                              const CellWindow& window);

// A heat map of more rectangles than this is a bitmap in SVG and PDF; all else there is shapes.
inline constexpr std::size_t kMostHeatRects = 4096;

// The visible part of a grid, a pixel for each cell that is told apart, and where it lies; it may
// stand out of `rect`, which cuts it.
struct HeatImage {
  Rect rect;
  CairoSurface pixels;
};
[[nodiscard]] HeatImage heat_image(const Rect& rect, const CellGrid& grid, const CellWindow& window,
                                   Theme theme);

}  // namespace tilescope
