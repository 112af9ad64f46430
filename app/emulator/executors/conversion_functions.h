#pragma once
#include <cmath>

#include "emulator/executors/float_formats.h"

// PTX ISA "cvt". 8- and 16-bit integers are sign- or zero-extended into a wider destination row;
// float to integer clamps, NaN gives 0 (or the highest bit alone, from f64 and for 64 bits: so the
// H200).
namespace tilescope::TILESCOPE_ISA {
template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;

// A row that is wider than T gets T's value extended, not cut.
template <class D, class T>
TILESCOPE_INLINE D extend(T value) {
  return static_cast<D>(static_cast<std::make_signed_t<D>>(value));
}
template <class D, class T>
TILESCOPE_INLINE D to_destination(T value) {
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) return extend<D>(value);
  if constexpr (std::is_integral_v<T> && !std::is_signed_v<T>) return static_cast<D>(value);
}

template <class Row, class D, class S, bool Sat>
struct IntegerToInteger {
  Row operator()(S a) const {
    if constexpr (Sat) {
      // Compare in a type that holds both ranges.
      __extension__ using Big = __int128;
      const Big low = std::is_signed_v<D> ? -(Big{1} << (8 * sizeof(D) - 1)) : Big{0};
      const Big high = (Big{1} << (8 * sizeof(D) - (std::is_signed_v<D> ? 1 : 0))) - 1;
      const Big value = a;
      return to_destination<Row>(static_cast<D>(value < low ? low : (value > high ? high : value)));
    } else {
      return to_destination<Row>(static_cast<D>(a));
    }
  }
};

enum class Round { kNearest, kZero, kDown, kUp };

template <Round Mode, class T>
TILESCOPE_INLINE T round_to_integral(T x) {
  if constexpr (Mode == Round::kNearest) return std::nearbyint(x);
  if constexpr (Mode == Round::kZero) return std::trunc(x);
  if constexpr (Mode == Round::kDown) return std::floor(x);
  if constexpr (Mode == Round::kUp) return std::ceil(x);
}

template <bool Ftz, class S>
TILESCOPE_INLINE auto source(S a) {
  if constexpr (std::is_same_v<S, double>) {
    return a;
  } else if constexpr (Ftz) {
    return flush(to_float(a));
  } else {
    return to_float(a);
  }
}

// The width in which the clamp is made: 8- and 16-bit results clamp to their own range.
template <class Row, class D, class S, Round Mode, bool Ftz>
struct FloatToInteger {
  Row operator()(S a) const {
    const auto x = source<Ftz>(a);
    using F = std::remove_cv_t<decltype(x)>;
    const F rounded = round_to_integral<Mode>(x);
    constexpr int kBits = 8 * sizeof(D) - (std::is_signed_v<D> ? 1 : 0);
    const F top = static_cast<F>(std::uint64_t{1} << (kBits - 1)) * F{2};  // first value too large
    const F bottom = std::is_signed_v<D> ? -top : F{0};
    constexpr D kLargest = static_cast<D>(~std::uint64_t{0} >> (64 - kBits));
    constexpr D kSmallest = std::is_signed_v<D> ? static_cast<D>(-kLargest - 1) : D{0};
    constexpr bool kTopBit = sizeof(D) == 8 || (sizeof(D) == 4 && sizeof(S) == 8);
    const D kNanValue = kTopBit ? static_cast<D>(D{1} << (8 * sizeof(D) - 1)) : D{0};
    if (rounded != rounded) return to_destination<Row>(kNanValue);
    if (rounded >= top) return to_destination<Row>(kLargest);
    if (rounded < bottom) return to_destination<Row>(kSmallest);
    return to_destination<Row>(static_cast<D>(rounded));
  }
};

template <class D, class S>
struct IntegerToFloat {
  D operator()(S a) const {
    if constexpr (std::is_same_v<D, double> || std::is_same_v<D, float>) {
      return static_cast<D>(a);
    } else if constexpr (sizeof(S) <= 4) {
      return from_float<D>(to_float_to_odd(static_cast<double>(a)));
    } else {
      // To odd on the way: keep 40 high bits and one that says whether anything was cut.
      const bool negative = std::is_signed_v<S> && a < 0;
      auto magnitude = static_cast<std::uint64_t>(a);
      if (negative) magnitude = 0 - magnitude;
      const std::uint64_t odd =
          (magnitude & ~std::uint64_t{0xffff}) | ((magnitude & 0xffff) != 0 ? 0x8000u : 0u);
      const auto value =
          static_cast<double>(magnitude < (std::uint64_t{1} << 52) ? magnitude : odd);
      return from_float<D>(to_float_to_odd(negative ? -value : value));
    }
  }
};

// Float to float, to nearest; narrowing from f64 to 16 bits passes through f32 rounded to odd.
template <class D, class S, bool Ftz, bool Sat, bool Relu>
struct FloatToFloat {
  D operator()(S a) const {
    if constexpr (std::is_same_v<S, double>) {
      double x = a;
      if (Sat) x = saturate(x);
      if constexpr (std::is_same_v<D, double>) {
        return x;
      } else if constexpr (std::is_same_v<D, float>) {
        const float y = x != x ? narrow_nan_to_float(x) : static_cast<float>(x);
        return Ftz ? flush(y) : y;
      } else {
        if constexpr (std::is_same_v<D, Half>) {
          if (x != x) return narrow_nan_to_half(x);
        }
        return from_float<D>(to_float_to_odd(x));
      }
    } else {
      float x = source<Ftz>(a);
      if (Sat) x = saturate(x);
      if (Relu) x = x <= 0.0f ? 0.0f : x;  // -0 too
      if constexpr (std::is_same_v<D, double>) {
        return static_cast<double>(x);
      } else if constexpr (std::is_same_v<D, float>) {
        return kIsHalf<S> ? canonical(x) : x;
      } else {
        return from_float<D>(x);
      }
    }
  }
};

template <class T, Round Mode, bool Ftz, bool Sat>
struct RoundSame {  // cvt.rni.f32.f32
  T operator()(T a) const {
    auto x = round_to_integral<Mode>(source<Ftz>(a));
    if (Sat) x = saturate(x);
    if constexpr (kIsHalf<T>) {
      return from_float<T>(x);
    } else {
      return canonical(x);
    }
  }
};

// f32 to f16 or bf16 towards zero.
template <class D, bool Relu = false>
struct TowardsZero {
  D operator()(float a) const {
    if (Relu) a = a <= 0.0f ? 0.0f : a;
    const std::uint32_t bits = bits_of_float(a);
    const std::uint32_t rest = bits & 0x7fffffffu;
    if (rest > 0x7f800000u) return D{0x7fff};
    if constexpr (std::is_same_v<D, Bfloat>) {
      return D{static_cast<std::uint16_t>(bits >> 16)};
    } else {
      const std::uint32_t sign = (bits >> 16) & 0x8000u;
      if (rest >= 0x7f800000u) return D{static_cast<std::uint16_t>(sign | 0x7c00u)};
      if (rest >= 0x47800000u) return D{static_cast<std::uint16_t>(sign | 0x7bffu)};
      if (rest >= 0x38800000u)
        return D{static_cast<std::uint16_t>(sign | ((rest - 0x38000000u) >> 13))};
      const auto steps = static_cast<std::uint32_t>(float_of_bits(rest) * 0x1p24f);
      return D{static_cast<std::uint16_t>(sign | steps)};
    }
  }
};

// cvt.rn.f16x2.f32 d, a, b: a goes to the upper half.
template <class H, bool Zero, bool Relu>
struct PackPair {
  std::uint32_t operator()(float a, float b) const {
    if (Relu) {
      a = a <= 0.0f ? 0.0f : a;
      b = b <= 0.0f ? 0.0f : b;
    }
    const H high = Zero ? TowardsZero<H>{}(a) : from_float<H>(a);
    const H low = Zero ? TowardsZero<H>{}(b) : from_float<H>(b);
    return static_cast<std::uint32_t>(low.bits) | (static_cast<std::uint32_t>(high.bits) << 16);
  }
};

// Nearest, ties away from zero; 10 bits of fraction stay. Infinities and NaNs lose the others.
template <bool Satfinite>
struct ToTf32 {
  std::uint32_t operator()(float a) const {
    const auto is_special = [](std::uint32_t x) { return (x & 0x7f800000u) == 0x7f800000u; };
    const std::uint32_t bits = bits_of_float(a);
    const std::uint32_t rounded = (is_special(bits) ? bits : bits + 0x1000u) & 0xffffe000u;
    return Satfinite && is_special(rounded) ? rounded - 0x2000u : rounded;
  }
};
inline constexpr std::uint32_t kNanTf32 = 0x7fffe000;
struct ToTf32Even {
  std::uint32_t operator()(float a) const {
    const std::uint32_t bits = bits_of_float(a);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return kNanTf32;
    if ((bits & 0x7f800000u) == 0x7f800000u) return bits;
    return (bits + 0xfffu + ((bits >> 13) & 1u)) & 0xffffe000u;
  }
};

}  // namespace tilescope::TILESCOPE_ISA
