#pragma once
#include <bit>
#include <cmath>

#include "emulator/executors/lanes.h"

// f16, bf16 and tf32 to and from float, NaNs and subnormals as the hardware has them. Written on
// integers without branches, so that lane loops vectorise.
namespace tilescope::TILESCOPE_ISA {

inline constexpr std::uint32_t kNan32 = 0x7fffffff;  // canonical NaN of f32 results
inline constexpr std::uint64_t kNan64 = 0x7fffffffffffffff;

TILESCOPE_INLINE std::uint32_t bits_of_float(float x) { return std::bit_cast<std::uint32_t>(x); }
TILESCOPE_INLINE float float_of_bits(std::uint32_t x) { return std::bit_cast<float>(x); }

TILESCOPE_INLINE float canonical(float x) { return x != x ? float_of_bits(kNan32) : x; }
TILESCOPE_INLINE double canonical(double x) { return x; }

// Subnormals become zero of the same sign.
TILESCOPE_INLINE float flush(float x) {
  const std::uint32_t bits = bits_of_float(x);
  return float_of_bits((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

// A result of .ftz arithmetic: zero where it is below the normal numbers once it is rounded to 24
// bits as if exponents had no end, so that what would round up to 2^-126 is flushed too. `scaled`:
// the same result computed 2^64 times as large.
TILESCOPE_INLINE float flush_result(float x, float scaled) {
  const std::uint32_t bits = bits_of_float(x);
  const bool tiny = (bits & 0x7fffffffu) <= bits_of_float(0x1p-126f) &&
                    (bits_of_float(scaled) & 0x7fffffffu) < bits_of_float(0x1p-62f);
  return float_of_bits(tiny ? bits & 0x80000000u : bits);
}

// The exponent bits of f16 and bf16, all of them set for infinities and NaNs.
template <class H>
inline constexpr unsigned kHalfExponent = std::is_same_v<H, Half> ? 0x7c00u : 0x7f80u;

template <class H>
TILESCOPE_INLINE H canonical(H x) requires(std::is_same_v<H, Half> || std::is_same_v<H, Bfloat>) {
  const unsigned bits = x.bits;
  return H{static_cast<std::uint16_t>((bits & 0x7fffu) > kHalfExponent<H> ? 0x7fffu : bits)};
}
template <class H, bool Ftz>
TILESCOPE_INLINE H flush_half(H x) {
  if constexpr (!Ftz) return x;
  const unsigned bits = x.bits;
  return H{static_cast<std::uint16_t>((bits & kHalfExponent<H>) == 0 ? bits & 0x8000u : bits)};
}

TILESCOPE_INLINE float saturate(float x) {
  const float low = x > 0.0f ? x : 0.0f;  // NaN and -0 too
  return low < 1.0f ? low : 1.0f;
}
TILESCOPE_INLINE double saturate(double x) {
  const double low = x > 0.0 ? x : 0.0;
  return low < 1.0 ? low : 1.0;
}

// What the H200 makes of an f64 NaN in a narrower format: sign and highest bits, quiet.
TILESCOPE_INLINE float narrow_nan_to_float(double x) {
  const auto high = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x) >> 29);
  const auto sign = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x) >> 32) & 0x80000000u;
  return float_of_bits(sign | 0x7fc00000u | (high & 0x7fffffu));
}
TILESCOPE_INLINE Half narrow_nan_to_half(double x) {
  const auto high = static_cast<unsigned>(std::bit_cast<std::uint64_t>(x) >> 42);
  const auto sign = static_cast<unsigned>(std::bit_cast<std::uint64_t>(x) >> 48) & 0x8000u;
  return Half{static_cast<std::uint16_t>(sign | 0x7e00u | (high & 0x3ffu))};
}

TILESCOPE_INLINE float to_float(Half half) {
  const std::uint32_t sign = (half.bits & 0x8000u) << 16;
  const std::uint32_t rest = (half.bits & 0x7fffu) << 13;
  // Scaling by 2^112 moves the exponent and makes subnormals normal; exponent 31 becomes 255.
  const float scaled = float_of_bits(rest) * 0x1p112f;
  const std::uint32_t special = rest >= 0x0f800000u ? 0x7f800000u : 0u;
  return float_of_bits(bits_of_float(scaled) | special | sign);
}
TILESCOPE_INLINE float to_float(Bfloat value) {
  return float_of_bits(static_cast<std::uint32_t>(value.bits) << 16);
}
TILESCOPE_INLINE float to_float(float x) { return x; }
TILESCOPE_INLINE double to_float(double x) { return x; }

// Round to nearest even.
TILESCOPE_INLINE Half to_half(float x) {
  const std::uint32_t bits = bits_of_float(x);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t rest = bits & 0x7fffffffu;
  // Normal results: rebias, then round on the 13 bits that go.
  const std::uint32_t normal = (rest - 0x38000000u + 0xfffu + ((rest >> 13) & 1u)) >> 13;
  // Subnormal results: adding 0.5 leaves the rounded fraction in the low bits.
  const std::uint32_t small = bits_of_float(float_of_bits(rest) + 0.5f) - 0x3f000000u;
  std::uint32_t result = rest < 0x38800000u ? small : normal;
  result = rest >= 0x47800000u ? 0x7c00u : result;
  result = result > 0x7c00u ? 0x7c00u : result;
  const std::uint32_t with_sign = rest > 0x7f800000u ? 0x7fffu : (result | sign);
  return {static_cast<std::uint16_t>(with_sign)};
}

TILESCOPE_INLINE Bfloat to_bfloat(float x) {
  const std::uint32_t bits = bits_of_float(x);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const std::uint32_t result = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded;
  return {static_cast<std::uint16_t>(result)};
}

template <class T>
TILESCOPE_INLINE T from_float(float x) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_half(x);
  } else if constexpr (std::is_same_v<T, Bfloat>) {
    return to_bfloat(x);
  } else {
    return x;
  }
}

// A double rounded so that a second rounding to a narrower format gives what one rounding of the
// exact a*b+c would: to odd (Boldo and Melquiond, 2008). a*b is exact for 16-bit operands.
TILESCOPE_INLINE double multiply_add_to_odd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  const double back = sum - product;
  const double error = (product - (sum - back)) + (c - back);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  const bool finite = (bits & 0x7ff0000000000000u) != 0x7ff0000000000000u;
  const bool inexact = finite && error != 0.0 && (bits & 1u) == 0;
  const bool away = (error > 0.0) == (sum > 0.0);
  return std::bit_cast<double>(inexact ? (away ? bits + 1u : bits - 1u) : bits);
}

// double to float, to odd: the step before a second rounding to f16 or bf16.
TILESCOPE_INLINE float to_float_to_odd(double x) {
  const auto nearest = static_cast<float>(x);
  const std::uint32_t bits = bits_of_float(nearest);
  const auto back = static_cast<double>(nearest);
  const bool inexact = back != x && (bits & 1u) == 0 && x == x;
  const bool overshot = std::fabs(back) > std::fabs(x);
  return float_of_bits(inexact ? (overshot ? bits - 1u : bits + 1u) : bits);
}

}  // namespace tilescope::TILESCOPE_ISA
