#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "emulator/lanes_in.h"
#include "emulator/warp_access.h"

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
// A lane's value of 4 or, in a wide row, 8 bytes.
inline std::size_t cell_bytes(bool wide) { return wide ? 8 : 4; }
inline std::uint64_t cell_at(const std::byte* registers, std::uint32_t row, unsigned lane,
                             bool wide) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, registers + row + lane * cell_bytes(wide), cell_bytes(wide));
  return bits;
}
inline void put_cell(std::byte* registers, std::uint32_t row, unsigned lane, bool wide,
                     std::uint64_t bits) {
  std::memcpy(registers + row + lane * cell_bytes(wide), &bits, cell_bytes(wide));
}
// The same value for each of a warp's lanes.
inline void fill_row(std::byte* registers, std::uint32_t row, bool wide, std::uint64_t bits) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (wide) {
      std::memcpy(registers + row + std::size_t{lane} * 8, &bits, 8);
    } else {
      std::memcpy(registers + row + std::size_t{lane} * 4, &bits, 4);
    }
  }
}

// The same by type. Narrower values lie in 32-bit rows, little-endian, and are stored with zeros
// above them.
template <class T>
T value_at(const std::byte* registers, std::uint32_t row, unsigned lane) {
  T value;
  std::memcpy(&value, registers + row + lane * cell_bytes(sizeof(T) == 8), sizeof value);
  return value;
}
template <class T>
void put_value(std::byte* registers, std::uint32_t row, unsigned lane, T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  put_cell(registers, row, lane, sizeof(T) == 8, bits);
}

inline std::uint32_t count_lanes(std::uint32_t mask) {
  return static_cast<std::uint32_t>(std::popcount(mask));
}
// see(lane) for each lane of the mask.
template <class F>
void for_lanes(std::uint32_t mask, F see) {
  for (const unsigned lane : lanes_in(mask)) see(lane);
}

// The lanes of the mask that go to this target; target_of(lane) says where each goes.
template <class F>
std::uint32_t lanes_with(std::uint32_t target, std::uint32_t mask, F target_of) {
  std::uint32_t lanes = 0;
  for (const unsigned lane : lanes_in(mask)) {
    if (target_of(lane) == target) lanes |= 1u << lane;
  }
  return lanes;
}

}  // namespace tilescope
