#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "emulator/executors/lanes.h"

// How the tensor cores add up products of floating-point numbers, which NVIDIA does not document.
// All products of an instruction and the old sum are added at once: each is cut, towards zero, at a
// place that the largest of them decides (a product's exponent is the sum of its factors'), and the
// exact sum of what is left is cut to the bits that are kept. Found on an H100 80GB HBM3 (driver
// 580.159.04, 2026-11-27): mma.sync and wgmma of f16, bf16 and tf32 into f32, and wgmma of e4m3 and
// e5m2, were bit for bit so in 15,360 to 204,800 sums each of random operands of random exponents;
// other places, sizes of groups and roundings were not. Other generations may differ.
namespace tilescope::TILESCOPE_ISA {
namespace {

struct TensorPrecision {
  int below = 0;  // bits below the largest exponent that are added
  int kept = 0;   // significant bits of the result
};
inline constexpr TensorPrecision kTensorSums = {25, 24};
inline constexpr TensorPrecision kTensorSumsOf8Bits = {13, 14};  // wgmma of e4m3 and e5m2

// 2 to the exponent of x; 0 for 0, not finite for what is not.
TILESCOPE_INLINE double power_in(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0x7ff0'0000'0000'0000);
}
TILESCOPE_INLINE double cut_to(int significant_bits, double x) {
  const std::uint64_t dropped = (std::uint64_t{1} << (53 - significant_bits)) - 1;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~dropped);
}

// sums[n] += a[0] * b[0][n] + ... + a[depth - 1] * b[depth - 1][n] for at most 256 n; b lies row by
// row.
inline void add_products(const double* a, const double* b, std::size_t depth, std::size_t count,
                         TensorPrecision precision, double* sums) {
  constexpr std::size_t kMost = 256;
  alignas(64) double scale[kMost];
  alignas(64) double total[kMost];
  for (std::size_t n = 0; n < count; ++n) scale[n] = power_in(sums[n]);
  for (std::size_t k = 0; k < depth; ++k) {
    const double factor = power_in(a[k]);
    const double* const row = b + k * count;
    TILESCOPE_LANES
    for (std::size_t n = 0; n < count; ++n) {
      const double power = factor * power_in(row[n]);
      scale[n] = scale[n] != scale[n] || power <= scale[n] ? scale[n] : power;  // NaN stays
    }
  }
  const double unit = std::ldexp(1.0, precision.below);
  TILESCOPE_LANES
  for (std::size_t n = 0; n < count; ++n) {
    scale[n] = scale[n] > 0 ? unit / scale[n] : 0.0;
    total[n] = static_cast<double>(static_cast<std::int32_t>(sums[n] * scale[n]));
  }
  for (std::size_t k = 0; k < depth; ++k) {
    const double* const row = b + k * count;
    TILESCOPE_LANES
    for (std::size_t n = 0; n < count; ++n) {
      total[n] += static_cast<double>(static_cast<std::int32_t>(a[k] * row[n] * scale[n]));
    }
  }
  for (std::size_t n = 0; n < count; ++n) {
    if (scale[n] > 0) {
      sums[n] = cut_to(precision.kept, total[n] / scale[n]);
      continue;
    }
    // Nothing but zeros, or something that is not finite.
    for (std::size_t k = 0; k < depth; ++k) sums[n] += a[k] * b[k * count + n];
  }
}

}  // namespace
}  // namespace tilescope::TILESCOPE_ISA
