#pragma once
#include <bit>
#include <cstdint>

namespace tilescope {

// binary16 and bfloat16 bit patterns, rounded to nearest even; NaN becomes the quiet NaN 0x7fff.
[[nodiscard]] std::uint16_t to_half(float value);
[[nodiscard]] float from_half(std::uint16_t bits);
[[nodiscard]] std::uint16_t to_bfloat16(float value);
[[nodiscard]] inline float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

}  // namespace tilescope
