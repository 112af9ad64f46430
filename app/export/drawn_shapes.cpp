#include "export/drawn_shapes.h"

#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace tilescope {
namespace {

constexpr float kLeastCellForLines = 5;

}  // namespace

HeatRaster heat_raster(const Rect& rect, const CellGrid& grid, const CellWindow& window) {
  HeatRaster raster;
  const auto end = [](float first, float count, std::uint32_t all) {
    return std::min(all, static_cast<std::uint32_t>(std::max(std::ceil(first + count), 0.0f)));
  };
  raster.first_row = static_cast<std::uint32_t>(std::max(window.first_row, 0.0f));
  raster.first_col = static_cast<std::uint32_t>(std::max(window.first_col, 0.0f));
  const std::uint32_t rows = end(window.first_row, window.rows, grid.rows) - raster.first_row;
  const std::uint32_t cols = end(window.first_col, window.cols, grid.cols) - raster.first_col;
  raster.row_step = std::max(1u, static_cast<std::uint32_t>(window.rows / std::max(rect.h, 1.0f)));
  raster.col_step = std::max(1u, static_cast<std::uint32_t>(window.cols / std::max(rect.w, 1.0f)));
  raster.rows = (rows + raster.row_step - 1) / raster.row_step;
  raster.cols = (cols + raster.col_step - 1) / raster.col_step;
  return raster;
}

std::uint8_t hottest(const CellGrid& grid, const HeatRaster& raster, std::uint32_t r,
                     std::uint32_t c) {
  std::uint8_t heat = 0;
  const std::uint32_t row0 = raster.first_row + r * raster.row_step;
  const std::uint32_t col0 = raster.first_col + c * raster.col_step;
  for (std::uint32_t row = row0; row < std::min(row0 + raster.row_step, grid.rows); ++row) {
    for (std::uint32_t col = col0; col < std::min(col0 + raster.col_step, grid.cols); ++col) {
      heat = std::max(heat, (*grid.heat)[std::size_t{row} * grid.cols + col]);
    }
  }
  return heat;
}

namespace {

Rect clipped(const Rect& a, const Rect& b) {
  const float x = std::max(a.x, b.x);
  const float y = std::max(a.y, b.y);
  return {x, y, std::max(std::min(a.right(), b.right()) - x, 0.0f),
          std::max(std::min(a.bottom(), b.bottom()) - y, 0.0f)};
}

}  // namespace

std::vector<std::pair<Point, Point>> hatch_lines(const Rect& rect, float spacing) {
  std::vector<std::pair<Point, Point>> lines;
  // Each line is x + y = s; phases are the same everywhere, so neighbouring hatches join.
  const float first = std::ceil((rect.x + rect.y) / spacing) * spacing;
  for (float s = first; s < rect.right() + rect.bottom(); s += spacing) {
    const float x0 = std::max(rect.x, s - rect.bottom());
    const float x1 = std::min(rect.right(), s - rect.y);
    if (x1 > x0) lines.push_back({{x0, s - x0}, {x1, s - x1}});
  }
  return lines;
}

std::vector<HeatRect> heat_rects(const Rect& rect, const CellGrid& grid, const CellWindow& window) {
  std::vector<HeatRect> done;
  if (!grid.heat || window.rows <= 0 || window.cols <= 0) return done;
  const HeatRaster raster = heat_raster(rect, grid, window);
  const float cell_w = rect.w / window.cols;
  const float cell_h = rect.h / window.rows;
  struct Run {
    std::uint32_t col = 0;
    std::uint32_t cols = 0;
    std::uint8_t heat = 0;
    auto operator<=>(const Run&) const = default;
  };
  const auto box = [&](std::uint32_t row, std::uint32_t rows, const Run& run) {
    const auto y = static_cast<float>(raster.first_row + row * raster.row_step) - window.first_row;
    const auto x =
        static_cast<float>(raster.first_col + run.col * raster.col_step) - window.first_col;
    return clipped({rect.x + x * cell_w, rect.y + y * cell_h,
                    static_cast<float>(run.cols * raster.col_step) * cell_w,
                    static_cast<float>(rows * raster.row_step) * cell_h},
                   rect);
  };
  std::map<Run, std::uint32_t> open;  // -> row it began in
  for (std::uint32_t row = 0; row <= raster.rows; ++row) {
    std::map<Run, std::uint32_t> now;
    for (std::uint32_t col = 0; row < raster.rows && col < raster.cols;) {
      Run run{col, 1, hottest(grid, raster, row, col)};
      while (col + run.cols < raster.cols &&
             hottest(grid, raster, row, col + run.cols) == run.heat) {
        ++run.cols;
      }
      const auto above = open.find(run);
      now.emplace(run, above == open.end() ? row : above->second);
      col += run.cols;
    }
    for (const auto& [run, begin] : open) {
      if (!now.contains(run)) done.push_back({box(begin, row - begin, run), run.heat});
    }
    open = std::move(now);
  }
  return done;
}

std::vector<std::pair<Point, Point>> cell_lines(const Rect& rect, const CellGrid& grid,
                                                const CellWindow& window) {
  std::vector<std::pair<Point, Point>> lines;
  const float cell_w = rect.w / std::max(window.cols, 1.0f);
  const float cell_h = rect.h / std::max(window.rows, 1.0f);
  if (std::min(cell_w, cell_h) < kLeastCellForLines) return lines;
  for (float col = std::ceil(window.first_col);
       col <= std::min(window.first_col + window.cols, static_cast<float>(grid.cols)); ++col) {
    const float x = rect.x + (col - window.first_col) * cell_w;
    lines.push_back({{x, rect.y}, {x, rect.bottom()}});
  }
  for (float row = std::ceil(window.first_row);
       row <= std::min(window.first_row + window.rows, static_cast<float>(grid.rows)); ++row) {
    const float y = rect.y + (row - window.first_row) * cell_h;
    lines.push_back({{rect.x, y}, {rect.right(), y}});
  }
  return lines;
}

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
