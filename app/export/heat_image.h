#pragma once
#include <string>

#include "export/cairo_types.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/palette.h"

namespace tilescope {

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
