#include "export/heat_image.h"

#include <cairo.h>

#include <cmath>
#include <cstring>

#include "export/drawn_shapes.h"

namespace tilescope {
namespace {

// Cairo's ARGB32: colours are multiplied by the opacity.
std::uint32_t pixel_of(const Rgba& c) {
  const auto byte = [](float value) {
    return static_cast<std::uint32_t>(std::lround(value * 255));
  };
  return byte(c.a) << 24 | byte(c.r * c.a) << 16 | byte(c.g * c.a) << 8 | byte(c.b * c.a);
}

}  // namespace

HeatImage heat_image(const Rect& rect, const CellGrid& grid, const CellWindow& window,
                     Theme theme) {
  const HeatRaster raster = heat_raster(rect, grid, window);
  const float cell_w = rect.w / window.cols;
  const float cell_h = rect.h / window.rows;
  HeatImage image;
  image.rect = {rect.x + (static_cast<float>(raster.first_col) - window.first_col) * cell_w,
                rect.y + (static_cast<float>(raster.first_row) - window.first_row) * cell_h,
                static_cast<float>(raster.cols * raster.col_step) * cell_w,
                static_cast<float>(raster.rows * raster.row_step) * cell_h};
  image.pixels.reset(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(raster.cols),
                                                static_cast<int>(raster.rows)));
  unsigned char* data = cairo_image_surface_get_data(image.pixels.get());
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(image.pixels.get()));
  for (std::uint32_t row = 0; row < raster.rows; ++row) {
    for (std::uint32_t col = 0; col < raster.cols; ++col) {
      const std::uint32_t pixel =
          pixel_of(cell_colour(hottest(grid, raster, row, col), grid.tint, theme));
      std::memcpy(data + row * stride + std::size_t{col} * 4, &pixel, 4);
    }
  }
  cairo_surface_mark_dirty(image.pixels.get());
  return image;
}

}  // namespace tilescope
