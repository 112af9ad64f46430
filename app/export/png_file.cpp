#include "export/png_file.h"

#include <cairo.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <optional>

#include "core/file.h"
#include "export/cairo_types.h"
#include "export/font_library.h"

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

namespace {

constexpr std::size_t kSignatureAndHeader = 8 + 25;

void put_number(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xffU);
}

// nullopt: a character is not of Latin-1.
std::optional<std::string> latin1(std::string_view utf8) {
  std::string text;
  for (std::size_t at = 0; at < utf8.size();) {
    const std::uint32_t code = next_code(utf8, at);
    if (code > 0xff) return std::nullopt;
    text += static_cast<char>(code);
  }
  return text;
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string content = std::string(type).append(data);
  std::string bytes;
  put_number(bytes, static_cast<std::uint32_t>(data.size()));
  bytes += content;
  const auto* begin = reinterpret_cast<const Bytef*>(content.data());
  put_number(bytes, static_cast<std::uint32_t>(crc32(0, begin, static_cast<uInt>(content.size()))));
  return bytes;
}

}  // namespace

std::string with_texts(std::string_view png,
                       std::span<const std::pair<std::string, std::string>> texts) {
  std::string result(png.substr(0, kSignatureAndHeader));
  for (const auto& [keyword, text] : texts) {
    if (const auto plain = latin1(text)) {
      result += chunk("tEXt", keyword + '\0' + *plain);
    } else {  // not compressed, no language, no translated keyword
      result += chunk("iTXt", keyword + std::string(5, '\0') + text);
    }
  }
  return result.append(png.substr(kSignatureAndHeader));
}

}  // namespace tilescope
