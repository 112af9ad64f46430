#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernel/launch/tensor_map.h"

namespace tilescope {

// Where a copy starts.
struct TensorPlace {
  std::array<std::int32_t, TensorMap::kMostRank> at{};  // elements
  std::array<std::uint16_t, 3> offset{};  // im2col: into the filter, along the pixels' dimensions
};

// Elements side by side in global and in shared memory. `to`: from the start of the copy's part of
// shared memory, before swizzling.
struct TensorRun {
  std::uint64_t address = 0;
  std::uint32_t to = 0;
  std::uint32_t bytes = 0;
};

// The mistake of a copy that starts there, and its remedy. Each stops a kernel on an H100.
// Empty: nothing. Precondition, as of runs_of(): mistake_in(map) is empty.
[[nodiscard]] std::string mistake_in(const TensorMap& map, const TensorPlace& place, bool loads);
// What of the box lies inside the tensor, row by row. Stores and reductions write 16 bytes at a
// time, so that the last ones of a row may lie beyond its end (measured on an H100).
[[nodiscard]] std::vector<TensorRun> runs_of(const TensorMap& map, const TensorPlace& place,
                                             bool loads);

// The elements of a box in shared memory as loads leave those outside the tensor: zeros, or 0x7ff7
// in each two bytes, which is a NaN of each type. Where rows are narrower than the swizzle, what
// lies between them stays as it is. Both measured on an H100.
void fill_box(const TensorMap& map, std::span<std::byte> bytes);
// Loaded elements as their type has them.
void round_elements(const TensorMap& map, std::byte* data, std::size_t bytes);

// Where a byte lies once it is swizzled; an involution (PTX ISA, "Swizzling Modes").
[[nodiscard]] std::uint64_t swizzled(const TensorMap& map, std::uint64_t shared_address);
// What is swizzled as a whole, bytes; 0: nothing is.
[[nodiscard]] unsigned swizzled_unit(const TensorMap& map);

}  // namespace tilescope
