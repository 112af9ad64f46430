#pragma once
#include <cstdint>

#include "ptx/data_type.h"

namespace tilescope {

// The floating-point formats of at most 32 bits that cvt and the matrix instructions know
// (PTX ISA, "Alternate Floating-Point Data Formats").
struct FloatFormat {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  bool has_infinity = false;
  bool has_nan = false;
  int dropped_bits = 0;  // below the mantissa in its container (tf32: 13)
};
// Of an element: kF16x2 and kF16 are one. exponent_bits 0: no such format.
[[nodiscard]] FloatFormat float_format(DataType type);

// A number as sign, significand and power of two, which holds every f64 and 64-bit integer exactly.
struct ExactNumber {
  bool negative = false;
  bool is_nan = false;
  bool is_infinite = false;
  std::uint64_t significand = 0;
  int exponent = 0;
};
[[nodiscard]] ExactNumber exact(double value);
[[nodiscard]] ExactNumber exact(std::uint64_t value);
[[nodiscard]] ExactNumber exact(std::int64_t value);

enum class NarrowRounding : std::uint8_t { kNearestEven, kNearestAway, kZero, kDown, kUp };

struct NarrowOptions {
  NarrowRounding rounding = NarrowRounding::kNearestEven;
  bool relu = false;
  bool satfinite = false;
};
// The format's bits. NaN: the canonical one; in formats without NaN the largest number.
[[nodiscard]] std::uint32_t encode(const ExactNumber& value, const FloatFormat& format,
                                   const NarrowOptions& options);
[[nodiscard]] double decode(std::uint32_t bits, const FloatFormat& format);

// ue8m0: powers of two; 0xff is NaN.
[[nodiscard]] std::uint32_t encode_scale(float value, const NarrowOptions& options);
[[nodiscard]] double decode_scale(std::uint32_t bits);

}  // namespace tilescope
