#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace tilescope {

// A texture or surface that is handed to a kernel as an object. Its texels lie row by row in the
// argument's buffer; beyond the edges the nearest counts.
struct TextureShape {
  bool is_surface = false;
  bool is_buffer = false;                   // linear memory: read by index (tex1Dfetch)
  bool is_linear = false;                   // filtered between texels, else the nearest is taken
  bool has_normalised_coordinates = false;  // from 0 to 1 over the width
  bool reads_normalised = false;            // integers become [0, 1] or [-1, 1]
  std::uint32_t channels = 1;               // 1, 2 or 4 elements of a texel
  std::uint32_t width = 1;                  // texels
  std::uint32_t height = 1;                 // 1 where there is one dimension
  std::uint32_t depth = 1;                  // of three dimensions, else 1

  [[nodiscard]] std::uint64_t elements() const {
    return std::uint64_t{channels} * width * height * depth;
  }
  friend bool operator==(const TextureShape&, const TextureShape&) = default;
};

[[nodiscard]] constexpr bool is_texture_text(std::string_view text) {
  return text.starts_with("texture:") || text.starts_with("surface:");
}

// "texture:f32[1024x512]=random:1", WIDTH[xHEIGHT[xDEPTH]] texels; "f32x4" has four channels; words
// behind the type, each with a +: linear, normalised (coordinates), unit (integers are read as
// fractions), fetch (linear memory). `buffer`: gets the buffer's own text,
// "f32[524288]=random:1". kUsage with what is wrong. Precondition: is_texture_text().
[[nodiscard]] Result<TextureShape> parse_texture(std::string_view text, std::string* buffer);

}  // namespace tilescope
