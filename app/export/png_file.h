#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace tilescope {

// Pixels, RGBA, top row first.
struct PixelImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;
};

// Alpha is dropped: what was on screen is opaque.
Status write_png(const PixelImage& image, const std::string& path);

// A PNG with texts by keyword put behind its header (https://www.w3.org/TR/png-3/#11textinfo): as
// tEXt where Latin-1 holds them, else as iTXt. Precondition: `png` begins with an IHDR chunk.
[[nodiscard]] std::string with_texts(std::string_view png,
                                     std::span<const std::pair<std::string, std::string>> texts);

}  // namespace tilescope
