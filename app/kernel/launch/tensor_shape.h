#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace tilescope {

inline constexpr std::uint32_t kTensorMapBytes = 128;  // CUtensorMap
inline constexpr std::uint32_t kTensorMapAlignment = 64;

// A tensor map that a kernel gets by value (const __grid_constant__ CUtensorMap) or by its address.
// The tensor is the argument's buffer, dense; dimension 0 is the innermost.
struct TensorShape {
  static constexpr unsigned kMostRank = 5;
  unsigned rank = 1;
  std::array<std::uint32_t, kMostRank> extent{1, 1, 1, 1, 1};  // elements
  std::array<std::uint32_t, kMostRank> box{1, 1, 1, 1, 1};     // elements of one copy
  std::uint32_t swizzle_bytes = 0;                             // 0, 32, 64, 128
  bool fills_with_nan = false;                                 // outside the tensor; else zeros
  bool rounds_to_tf32 = false;                                 // of f32

  [[nodiscard]] std::uint64_t elements() const;
  friend bool operator==(const TensorShape&, const TensorShape&) = default;
};

[[nodiscard]] constexpr bool is_tensor_text(std::string_view text) {
  return text.starts_with("tensormap:");
}

// "tensormap:bf16+box64x128+swizzle128[4096x2048]=random:1"; box and extents with dimension 0
// first; further words +nan, +tf32. `buffer`: gets the buffer's own text,
// "bf16[8388608]=random:1". kUsage with what is wrong. Precondition: is_tensor_text().
[[nodiscard]] Result<TensorShape> parse_tensor(std::string_view text, std::string* buffer);

}  // namespace tilescope
