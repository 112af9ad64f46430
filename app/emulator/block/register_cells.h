#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

namespace tilescope {

// Cells of a warp's register file, outside the executors.
inline std::uint32_t word_at(const std::byte* registers, std::uint32_t row, unsigned lane) {
  std::uint32_t value;
  std::memcpy(&value, registers + row + std::size_t{lane} * 4, sizeof value);
  return value;
}
inline std::uint32_t predicate_at(const std::byte* registers, std::uint32_t row) {
  return word_at(registers, row, 0);
}
inline std::uint32_t count_lanes(std::uint32_t mask) {
  return static_cast<std::uint32_t>(std::popcount(mask));
}

}  // namespace tilescope
