#include <cmath>

#include "emulator/executors/families.h"
#include "emulator/executors/float_formats.h"

// PTX ISA "Floating Point Instructions" on f32 and f64, rounding to nearest. Other roundings and
// the approximate functions: directed_rounding.cpp, approximate_math.cpp.
namespace tilescope::TILESCOPE_ISA {
namespace {

template <bool Ftz, class T>
TILESCOPE_INLINE T input(T x) {
  if constexpr (Ftz && sizeof(T) == 4) return flush(x);
  return x;
}
template <bool Ftz, bool Sat, class T>
TILESCOPE_INLINE T output(T x) {
  if constexpr (Sat) x = saturate(x);
  if constexpr (Ftz && sizeof(T) == 4) return flush(canonical(x));
  return canonical(x);
}

template <class T, bool Ftz, bool Sat>
struct Add {
  T operator()(T a, T b) const { return output<Ftz, Sat>(input<Ftz>(a) + input<Ftz>(b)); }
};
template <class T, bool Ftz, bool Sat>
struct Sub {
  T operator()(T a, T b) const { return output<Ftz, Sat>(input<Ftz>(a) - input<Ftz>(b)); }
};
// F of operands of which some may be scaled (flush_result).
template <class T, bool Ftz, bool Sat, class F>
TILESCOPE_INLINE T scaled_output(F f) {
  const T result = output<false, Sat>(f(T{1}));
  if constexpr (Ftz && sizeof(T) == 4) return flush_result(result, f(0x1p64f));
  return result;
}
template <class T, bool Ftz, bool Sat>
struct Mul {
  T operator()(T a, T b) const {
    const T x = input<Ftz>(a);
    const T y = input<Ftz>(b);
    return scaled_output<T, Ftz, Sat>([=](T scale) { return (x * scale) * y; });
  }
};
template <class T, bool Ftz, bool Sat>
struct Fma {
  T operator()(T a, T b, T c) const {
    const T x = input<Ftz>(a);
    const T y = input<Ftz>(b);
    const T z = input<Ftz>(c);
    return scaled_output<T, Ftz, Sat>([=](T scale) { return std::fma(x * scale, y, z * scale); });
  }
};
template <class T, bool Ftz, bool Sat>
struct Div {
  T operator()(T a, T b) const {
    const T x = input<Ftz>(a);
    const T y = input<Ftz>(b);
    return scaled_output<T, Ftz, Sat>([=](T scale) { return (x * scale) / y; });
  }
};
template <class T, bool Ftz, bool Sat>
struct Sqrt {
  T operator()(T a) const { return output<Ftz, Sat>(std::sqrt(input<Ftz>(a))); }
};
template <class T, bool Ftz, bool Sat>
struct Rcp {
  T operator()(T a) const {
    const T x = input<Ftz>(a);
    return scaled_output<T, Ftz, Sat>([=](T scale) { return scale / x; });
  }
};

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <class T>
inline constexpr BitsOf<T> kSign = BitsOf<T>{1} << (8 * sizeof(T) - 1);

template <class T>
TILESCOPE_INLINE T combine_bits(BitsOf<T> bits) {
  return std::bit_cast<T>(bits);
}

template <class T, bool Ftz, bool>
struct Abs {
  T operator()(T a) const {
    return canonical(input<Ftz>(combine_bits<T>(std::bit_cast<BitsOf<T>>(a) & ~kSign<T>)));
  }
};
template <class T, bool Ftz, bool>
struct Neg {
  T operator()(T a) const {
    return canonical(input<Ftz>(combine_bits<T>(std::bit_cast<BitsOf<T>>(a) ^ kSign<T>)));
  }
};
template <class T, bool, bool>
struct Copysign {  // sign of a, rest of b
  T operator()(T a, T b) const {
    const BitsOf<T> sign = std::bit_cast<BitsOf<T>>(a) & kSign<T>;
    return combine_bits<T>(sign | (std::bit_cast<BitsOf<T>>(b) & ~kSign<T>));
  }
};

template <class T>
TILESCOPE_INLINE T quiet_nan() {
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<double>(kNan64);
  } else {
    return float_of_bits(kNan32);
  }
}

// One NaN: the other operand, or NaN with .NaN; -0 is below +0.
template <class T, bool Ftz, bool Nan, bool Larger>
struct Extreme {
  T operator()(T x, T y) const {
    const T a = input<Ftz>(x);
    const T b = input<Ftz>(y);
    const auto bits_a = std::bit_cast<BitsOf<T>>(a);
    const auto bits_b = std::bit_cast<BitsOf<T>>(b);
    const T equal = combine_bits<T>(Larger ? (bits_a & bits_b) : (bits_a | bits_b));
    const bool first = Larger ? a > b : a < b;
    const bool second = Larger ? a < b : a > b;
    T result = first ? a : (second ? b : equal);
    result = a != a ? (Nan ? quiet_nan<T>() : b) : result;
    result = b != b ? (Nan || a != a ? quiet_nan<T>() : a) : result;
    return result;
  }
};

template <template <class, bool, bool> class F, class T>
Executor binary(const OperationKey& key) {
  if constexpr (sizeof(T) == 8) {
    return key.saturate || key.ftz ? nullptr : execute_binary<F<T, false, false>, T, T, T>;
  } else {
    if (key.ftz) {
      return key.saturate ? execute_binary<F<T, true, true>, T, T, T>
                          : execute_binary<F<T, true, false>, T, T, T>;
    }
    return key.saturate ? execute_binary<F<T, false, true>, T, T, T>
                        : execute_binary<F<T, false, false>, T, T, T>;
  }
}

template <template <class, bool, bool> class F, class T>
Executor unary(const OperationKey& key) {
  if (key.saturate) return nullptr;
  if constexpr (sizeof(T) == 8) {
    return key.ftz ? nullptr : execute_unary<F<T, false, false>, T, T>;
  } else {
    return key.ftz ? execute_unary<F<T, true, false>, T, T>
                   : execute_unary<F<T, false, false>, T, T>;
  }
}

template <class T>
Executor fused(const OperationKey& key) {
  if constexpr (sizeof(T) == 8) {
    return key.saturate || key.ftz ? nullptr : execute_ternary<Fma<T, false, false>, T, T, T, T>;
  } else {
    if (key.ftz) {
      return key.saturate ? execute_ternary<Fma<T, true, true>, T, T, T, T>
                          : execute_ternary<Fma<T, true, false>, T, T, T, T>;
    }
    return key.saturate ? execute_ternary<Fma<T, false, true>, T, T, T, T>
                        : execute_ternary<Fma<T, false, false>, T, T, T, T>;
  }
}

template <class T, bool Larger>
Executor extreme(const OperationKey& key) {
  if constexpr (sizeof(T) == 4) {
    if (key.ftz) {
      return key.nan ? execute_binary<Extreme<T, true, true, Larger>, T, T, T>
                     : execute_binary<Extreme<T, true, false, Larger>, T, T, T>;
    }
  }
  return key.nan ? execute_binary<Extreme<T, false, true, Larger>, T, T, T>
                 : execute_binary<Extreme<T, false, false, Larger>, T, T, T>;
}

template <class T>
Executor of_type(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kAdd:
      return binary<Add, T>(key);
    case Operation::kSub:
      return binary<Sub, T>(key);
    case Operation::kMul:
      return binary<Mul, T>(key);
    case Operation::kMad:
    case Operation::kFma:
      return fused<T>(key);
    case Operation::kDiv:
      return binary<Div, T>(key);
    case Operation::kSqrt:
      return unary<Sqrt, T>(key);
    case Operation::kRcp:
      return unary<Rcp, T>(key);
    case Operation::kAbs:
      return unary<Abs, T>(key);
    case Operation::kNeg:
      return unary<Neg, T>(key);
    case Operation::kCopysign:
      return binary<Copysign, T>(key);
    case Operation::kMin:
      return extreme<T, false>(key);
    case Operation::kMax:
      return extreme<T, true>(key);
    default:
      return nullptr;
  }
}

}  // namespace

Executor find_float_arithmetic(const OperationKey& key) {
  if (key.rounding != Modifier::kRn || key.approximate) return nullptr;
  if (key.type == DataType::kF32) return of_type<float>(key);
  if (key.type == DataType::kF64) return of_type<double>(key);
  return nullptr;
}

}  // namespace tilescope::TILESCOPE_ISA
