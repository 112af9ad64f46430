#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace tilescope {

// At most `most` colours for these pixels (0x00RRGGBB), made for flat pictures: colours that cover
// much keep exactly, and every pixel has one of the palette's within the same least distance, which
// is 0 where there are few enough. Dithers nothing. The same pixels give the same palette.
struct IndexedPixels {
  std::vector<std::uint32_t> palette;
  std::vector<std::uint8_t> indices;  // parallel to the pixels
  int distance = 0;                   // the most that a channel is off, 0..255
};
[[nodiscard]] IndexedPixels index_pixels(std::span<const std::uint32_t> pixels, std::size_t most);

}  // namespace tilescope
