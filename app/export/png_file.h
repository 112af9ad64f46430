#pragma once
#include <cstdint>
#include <string>
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

}  // namespace tilescope
