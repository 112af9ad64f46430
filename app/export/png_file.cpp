#include "export/png_file.h"

#include <cairo.h>

#include <cstring>

#include "core/write_file.h"
#include "export/cairo_types.h"

namespace tilescope {

Status write_png(const PixelImage& image, const std::string& path) {
  const int stride = cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, image.width);
  std::vector<std::uint8_t> rows(static_cast<std::size_t>(stride) *
                                 static_cast<std::size_t>(image.height));
  for (int y = 0; y < image.height; ++y) {
    std::uint8_t* row =
        rows.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(stride);
    for (int x = 0; x < image.width; ++x) {
      const std::size_t from =
          (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
           static_cast<std::size_t>(x)) *
          4;
      const std::uint32_t pixel = (std::uint32_t{image.rgba[from]} << 16) |
                                  (std::uint32_t{image.rgba[from + 1]} << 8) |
                                  std::uint32_t{image.rgba[from + 2]};
      std::memcpy(row + static_cast<std::size_t>(x) * 4, &pixel, 4);
    }
  }
  cairo_surface_t* surface = cairo_image_surface_create_for_data(rows.data(), CAIRO_FORMAT_RGB24,
                                                                 image.width, image.height, stride);
  const std::string bytes = png_bytes(surface);
  cairo_surface_destroy(surface);
  return write_file(path, bytes);
}

}  // namespace tilescope
