#pragma once
#include <cstdint>

#include "core/dim3.h"

namespace tilescope {

// What every GPU from compute capability 3.0 on launches (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability"). runtime/ has them once more: it stands alone.
inline constexpr Dim3 kLargestGrid{2147483647, 65535, 65535};
inline constexpr Dim3 kLargestBlock{1024, 1024, 64};
inline constexpr std::uint32_t kMostThreadsOfBlock = 1024;

[[nodiscard]] constexpr bool is_within(const Dim3& extent, const Dim3& largest) {
  return extent.count() != 0 && extent.x <= largest.x && extent.y <= largest.y &&
         extent.z <= largest.z;
}
[[nodiscard]] constexpr bool can_be_grid(const Dim3& extent) {
  return is_within(extent, kLargestGrid);
}
[[nodiscard]] constexpr bool can_be_block(const Dim3& extent) {
  return is_within(extent, kLargestBlock) && extent.count() <= kMostThreadsOfBlock;
}

}  // namespace tilescope
