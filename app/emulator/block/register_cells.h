#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

namespace tilescope {

// Cells of a warp's register file, and its lanes, outside the executors.
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
// The lanes of the mask that go to this target; target_of(lane) says where each goes.
template <class F>
std::uint32_t lanes_with(std::uint32_t target, std::uint32_t mask, F target_of) {
  std::uint32_t lanes = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    if (target_of(static_cast<unsigned>(std::countr_zero(left))) == target) lanes |= left & -left;
  }
  return lanes;
}

}  // namespace tilescope
