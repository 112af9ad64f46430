#include "emulator/formats/narrow_floats.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tilescope {
namespace {

constexpr int kWordBits = 64;

// significand * 2^-shift to an integer; the discarded bits decide by the rounding.
std::uint64_t shift_and_round(const ExactNumber& value, int shift, NarrowRounding rounding) {
  if (shift <= 0) return value.significand << -shift;
  const bool gone = shift > kWordBits;  // less than half a unit
  const std::uint64_t kept = shift >= kWordBits ? 0 : value.significand >> shift;
  const std::uint64_t rest =
      shift >= kWordBits ? value.significand : value.significand << (kWordBits - shift);
  if (rest == 0) return kept;
  constexpr std::uint64_t kHalf = std::uint64_t{1} << (kWordBits - 1);
  switch (rounding) {
    case NarrowRounding::kNearestEven:
      return kept + (!gone && (rest > kHalf || (rest == kHalf && (kept & 1u) != 0)) ? 1u : 0u);
    case NarrowRounding::kNearestAway:
      return kept + (!gone && rest >= kHalf ? 1u : 0u);
    case NarrowRounding::kZero:
      return kept;
    case NarrowRounding::kDown:
      return kept + (value.negative ? 1u : 0u);
    case NarrowRounding::kUp:
      return kept + (value.negative ? 0u : 1u);
  }
  return kept;
}

struct Limits {
  std::uint32_t largest = 0;  // finite
  std::uint32_t infinity = 0;
  std::uint32_t nan = 0;
};
Limits limits_of(const FloatFormat& format) {
  const int magnitude_bits = format.exponent_bits + format.mantissa_bits;
  const std::uint32_t all = (std::uint32_t{1} << magnitude_bits) - 1;
  const std::uint32_t top_exponent =
      all & ~((std::uint32_t{1} << format.mantissa_bits) - 1);  // all ones above the mantissa
  if (format.has_infinity) return {top_exponent - 1, top_exponent, all};
  if (format.has_nan) return {all - 1, all, all};  // e4m3
  return {all, all, all};
}

bool overflows_to_infinity(const ExactNumber& value, NarrowRounding rounding) {
  switch (rounding) {
    case NarrowRounding::kZero:
      return false;
    case NarrowRounding::kDown:
      return value.negative;
    case NarrowRounding::kUp:
      return !value.negative;
    default:
      return true;
  }
}

std::uint32_t magnitude_of(const ExactNumber& value, const FloatFormat& format,
                           const NarrowOptions& options) {
  const Limits limits = limits_of(format);
  const bool saturates = options.satfinite || !format.has_infinity;
  if (value.is_infinite) return saturates ? limits.largest : limits.infinity;
  if (value.significand == 0) return 0;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int lowest = 1 - bias - format.mantissa_bits;  // exponent of a subnormal's last bit
  const int leading = value.exponent + kWordBits - 1 - std::countl_zero(value.significand);
  const int unit =
      leading - format.mantissa_bits > lowest ? leading - format.mantissa_bits : lowest;
  // A number far too large never needs its digits.
  if (leading > (1 << format.exponent_bits)) {
    return saturates || !overflows_to_infinity(value, options.rounding) ? limits.largest
                                                                        : limits.infinity;
  }
  const std::uint64_t rounded = shift_and_round(value, unit - value.exponent, options.rounding);
  // A carry out of the mantissa goes into the exponent by itself.
  const std::uint64_t bits =
      rounded + (static_cast<std::uint64_t>(unit - lowest) << format.mantissa_bits);
  if (bits <= limits.largest) return static_cast<std::uint32_t>(bits);
  if (saturates || !overflows_to_infinity(value, options.rounding)) return limits.largest;
  return limits.infinity;
}

}  // namespace

FloatFormat float_format(DataType type) {
  switch (type) {
    case DataType::kF16:
    case DataType::kF16x2:
      return {5, 10, true, true, 0};
    case DataType::kBf16:
    case DataType::kBf16x2:
      return {8, 7, true, true, 0};
    case DataType::kTf32:
      return {8, 10, true, true, 13};
    case DataType::kE4m3:
    case DataType::kE4m3x2:
      return {4, 3, false, true, 0};
    case DataType::kE5m2:
    case DataType::kE5m2x2:
      return {5, 2, true, true, 0};
    case DataType::kE2m3:
    case DataType::kE2m3x2:
      return {2, 3, false, false, 0};
    case DataType::kE3m2:
    case DataType::kE3m2x2:
      return {3, 2, false, false, 0};
    case DataType::kE2m1:
    case DataType::kE2m1x2:
      return {2, 1, false, false, 0};
    default:
      return {};
  }
}

ExactNumber exact(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  ExactNumber number;
  number.negative = (bits >> 63) != 0;
  number.is_nan = std::isnan(value);
  number.is_infinite = std::isinf(value);
  const std::uint64_t fraction = bits & 0xfffffffffffffu;
  const auto exponent = static_cast<int>((bits >> 52) & 0x7ffu);
  number.significand = exponent == 0 ? fraction : fraction | (std::uint64_t{1} << 52);
  number.exponent = (exponent == 0 ? 1 : exponent) - 1075;
  return number;
}
ExactNumber exact(std::uint64_t value) {
  ExactNumber number;
  number.significand = value;
  return number;
}
ExactNumber exact(std::int64_t value) {
  ExactNumber number;
  number.negative = value < 0;
  number.significand = static_cast<std::uint64_t>(value);
  if (number.negative) number.significand = 0 - number.significand;
  return number;
}

std::uint32_t encode(const ExactNumber& value, const FloatFormat& format,
                     const NarrowOptions& options) {
  if (value.is_nan) {
    return limits_of(format).nan << format.dropped_bits;
  }
  if (options.relu && value.negative) return 0;
  const std::uint32_t sign =
      value.negative ? std::uint32_t{1} << (format.exponent_bits + format.mantissa_bits) : 0;
  return (magnitude_of(value, format, options) | sign) << format.dropped_bits;
}

double decode(std::uint32_t bits, const FloatFormat& format) {
  bits >>= format.dropped_bits;
  const int magnitude_bits = format.exponent_bits + format.mantissa_bits;
  const std::uint32_t magnitude = bits & ((std::uint32_t{1} << magnitude_bits) - 1);
  const bool negative = ((bits >> magnitude_bits) & 1u) != 0;
  const Limits limits = limits_of(format);
  double value = 0;
  if (magnitude > limits.largest) {
    value = format.has_infinity && magnitude == limits.infinity
                ? std::numeric_limits<double>::infinity()
                : std::numeric_limits<double>::quiet_NaN();
  } else {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const auto exponent = static_cast<int>(magnitude >> format.mantissa_bits);
    const std::uint32_t one = std::uint32_t{1} << format.mantissa_bits;
    const std::uint32_t fraction = magnitude & (one - 1);
    value = std::ldexp(static_cast<double>(exponent == 0 ? fraction : fraction | one),
                       (exponent == 0 ? 1 : exponent) - bias - format.mantissa_bits);
  }
  return negative ? -value : value;
}

std::uint32_t encode_scale(float value, const NarrowOptions& options) {
  constexpr std::uint32_t kNan = 0xff;
  constexpr std::uint32_t kLargest = 0xfe;
  if (std::isnan(value)) return kNan;
  if (std::isinf(value)) return options.satfinite ? kLargest : kNan;
  const auto bits = std::bit_cast<std::uint32_t>(std::fabs(value));
  std::uint32_t exponent = bits >> 23;
  if (options.rounding == NarrowRounding::kUp && (bits & 0x7fffffu) != 0) {
    // Below the smallest normal number the powers of two end at 2^-127, half of it.
    if (exponent != 0 || bits > 0x400000u) ++exponent;
  }
  return exponent > kLargest ? (options.satfinite ? kLargest : kNan) : exponent;
}

double decode_scale(std::uint32_t bits) {
  bits &= 0xffu;
  return bits == 0xff ? std::numeric_limits<double>::quiet_NaN()
                      : std::ldexp(1.0, static_cast<int>(bits) - 127);
}

}  // namespace tilescope
