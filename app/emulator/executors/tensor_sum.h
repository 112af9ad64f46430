#pragma once

#include <algorithm>
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

// Whether none of them is infinite or not a number.
TILESCOPE_INLINE bool all_finite(const double* x, std::size_t count) {
  constexpr std::uint64_t kExponent = 0x7ff0'0000'0000'0000;
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < count; ++i) {
    carry |= (std::bit_cast<std::uint64_t>(x[i]) & kExponent) + 0x0010'0000'0000'0000;
  }
  return carry >> 63 == 0;
}

// sums += a * b, where a is rows x depth, b depth x columns and sums rows x columns, all row by
// row; at most kMostSums sums. kColumns: columns, where it is known when this is compiled, else 0.
inline constexpr std::size_t kMostSums = 256;
template <std::size_t kColumns>
void add_rows(const double* a, std::size_t rows, const double* b, std::size_t depth,
              std::size_t columns, TensorPrecision precision, bool finite, double* sums) {
  const std::size_t width = kColumns > 0 ? kColumns : columns;
  alignas(64) double scale[kMostSums];
  alignas(64) double total[kMostSums];
  for (std::size_t i = 0; i < rows * width; ++i) scale[i] = power_in(sums[i]);
  for (std::size_t k = 0; k < depth; ++k) {
    const double* const right = b + k * width;
    for (std::size_t m = 0; m < rows; ++m) {
      const double factor = power_in(a[m * depth + k]);
      double* const largest = scale + m * width;
      TILESCOPE_FEW_LANES
      for (std::size_t n = 0; n < width; ++n) {
        const double power = factor * power_in(right[n]);
        largest[n] = power > largest[n] ? power : largest[n];
      }
    }
  }
  const double unit = std::ldexp(1.0, precision.below);
  std::uint64_t irregular = finite ? 0 : 1;
  for (std::size_t i = 0; i < rows * width; ++i) {
    irregular |= scale[i] > 0 ? 0 : 1;
    scale[i] = scale[i] > 0 ? unit / scale[i] : 0.0;
    total[i] = static_cast<double>(static_cast<std::int32_t>(sums[i] * scale[i]));
  }
  for (std::size_t k = 0; k < depth; ++k) {
    const double* const right = b + k * width;
    for (std::size_t m = 0; m < rows; ++m) {
      const double factor = a[m * depth + k];
      const double* const units = scale + m * width;
      double* const cut = total + m * width;
      TILESCOPE_FEW_LANES
      for (std::size_t n = 0; n < width; ++n) {
        cut[n] += static_cast<double>(static_cast<std::int32_t>(factor * right[n] * units[n]));
      }
    }
  }
  if (irregular == 0) {
    for (std::size_t i = 0; i < rows * width; ++i) {
      sums[i] = cut_to(precision.kept, total[i] / scale[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < rows * width; ++i) {
    double plain = sums[i];
    for (std::size_t k = 0; k < depth; ++k) {
      plain += a[i / width * depth + k] * b[k * width + i % width];
    }
    // Nothing but zeros, or something that is not finite, is as it is.
    const bool is_cut = scale[i] > 0 && std::isfinite(plain);
    sums[i] = is_cut ? cut_to(precision.kept, total[i] / scale[i]) : plain;
  }
}

// The same for any number of rows, and of columns up to kMostSums.
template <std::size_t kColumns = 0>
void add_products(const double* a, std::size_t rows, const double* b, std::size_t depth,
                  std::size_t columns, TensorPrecision precision, double* sums) {
  const bool finite = all_finite(a, rows * depth) && all_finite(b, depth * columns) &&
                      all_finite(sums, rows * columns);
  const std::size_t at_once = kMostSums / columns;
  for (std::size_t m = 0; m < rows; m += at_once) {
    add_rows<kColumns>(a + m * depth, std::min(at_once, rows - m), b, depth, columns, precision,
                       finite, sums + m * columns);
  }
}

}  // namespace
}  // namespace tilescope::TILESCOPE_ISA
