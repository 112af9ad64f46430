#pragma once
#include <cstdint>

namespace tilescope {

// Extents of a grid or block, or an index inside one; CUDA's dim3. x varies fastest.
struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  [[nodiscard]] constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

// Index of the linear-th cell of `extent`. Precondition: linear < extent.count().
[[nodiscard]] constexpr Dim3 unflatten(std::uint64_t linear, const Dim3& extent) {
  const std::uint64_t row = linear / extent.x;
  return {static_cast<std::uint32_t>(linear % extent.x), static_cast<std::uint32_t>(row % extent.y),
          static_cast<std::uint32_t>(row / extent.y)};
}

// Inverse of unflatten. Precondition: index lies inside extent.
[[nodiscard]] constexpr std::uint64_t flatten(const Dim3& index, const Dim3& extent) {
  return (std::uint64_t{index.z} * extent.y + index.y) * extent.x + index.x;
}

}  // namespace tilescope
