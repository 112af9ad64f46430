#include <cmath>

#include "emulator/executors/families.h"
#include "emulator/executors/float_formats.h"

// PTX ISA "Half Precision Floating Point Instructions": f16 and bf16, alone and in pairs. Sums and
// products are exact enough in float to be rounded once more without harm (24 >= 2 * 11 + 2 bits);
// a fused multiply-add goes through double, rounded to odd.
namespace tilescope::TILESCOPE_ISA {
namespace {

template <class H, bool Ftz, bool Sat>
TILESCOPE_INLINE H finish(float x) {
  if constexpr (Sat) x = saturate(x);
  return flush_half<H, Ftz>(from_float<H>(x));
}
template <class H, bool Ftz>
TILESCOPE_INLINE float start(H x) {
  return to_float(flush_half<H, Ftz>(x));
}

template <class H, bool Ftz, bool Sat>
struct Add {
  H operator()(H a, H b) const { return finish<H, Ftz, Sat>(start<H, Ftz>(a) + start<H, Ftz>(b)); }
};
template <class H, bool Ftz, bool Sat>
struct Sub {
  H operator()(H a, H b) const { return finish<H, Ftz, Sat>(start<H, Ftz>(a) - start<H, Ftz>(b)); }
};
template <class H, bool Ftz, bool Sat>
struct Mul {
  H operator()(H a, H b) const { return finish<H, Ftz, Sat>(start<H, Ftz>(a) * start<H, Ftz>(b)); }
};
template <class H, bool Ftz, bool Sat, bool Relu>
struct FmaRelu {
  H operator()(H a, H b, H c) const {
    const auto x = static_cast<double>(start<H, Ftz>(a));
    const auto y = static_cast<double>(start<H, Ftz>(b));
    const auto z = static_cast<double>(start<H, Ftz>(c));
    float sum = to_float_to_odd(multiply_add_to_odd(x, y, z));
    if (Relu) sum = sum <= 0.0f ? 0.0f : sum;  // -0 too
    return finish<H, Ftz, Sat>(sum);
  }
};
template <class H, bool Ftz, bool Sat>
using Fma = FmaRelu<H, Ftz, Sat, false>;
template <class H, bool Ftz, bool Sat>
using FmaThenRelu = FmaRelu<H, Ftz, Sat, true>;

template <class H, bool Ftz, bool>
struct Neg {
  H operator()(H a) const {
    return canonical(flush_half<H, Ftz>(H{static_cast<std::uint16_t>(a.bits ^ 0x8000u)}));
  }
};
template <class H, bool Ftz, bool>
struct Abs {
  H operator()(H a) const {
    return canonical(flush_half<H, Ftz>(H{static_cast<std::uint16_t>(a.bits & 0x7fffu)}));
  }
};
template <class H, bool, bool>
struct Tanh {
  H operator()(H a) const { return from_float<H>(std::tanh(to_float(a))); }
};
template <class H, bool Ftz, bool>
struct Ex2 {
  H operator()(H a) const { return flush_half<H, Ftz>(from_float<H>(std::exp2(start<H, Ftz>(a)))); }
};

template <class H, bool Ftz, bool Nan, bool Larger>
struct Extreme {
  H operator()(H x, H y) const {
    const H p = flush_half<H, Ftz>(x);
    const H q = flush_half<H, Ftz>(y);
    const float a = to_float(p);
    const float b = to_float(q);
    const unsigned equal =
        Larger ? static_cast<unsigned>(p.bits & q.bits) : static_cast<unsigned>(p.bits | q.bits);
    unsigned result =
        (Larger ? a > b : a < b) ? p.bits : ((Larger ? a < b : a > b) ? q.bits : equal);
    result = a != a ? (Nan ? 0x7fffu : q.bits) : result;
    result = b != b ? (Nan || a != a ? 0x7fffu : p.bits) : result;
    return H{static_cast<std::uint16_t>(result)};
  }
};
template <class H, bool Ftz, bool Nan>
using Min = Extreme<H, Ftz, Nan, false>;
template <class H, bool Ftz, bool Nan>
using Max = Extreme<H, Ftz, Nan, true>;

template <class H>
TILESCOPE_INLINE H low(std::uint32_t pair) {
  return H{static_cast<std::uint16_t>(pair & 0xffffu)};
}
template <class H>
TILESCOPE_INLINE H high(std::uint32_t pair) {
  return H{static_cast<std::uint16_t>(pair >> 16)};
}
template <class H>
TILESCOPE_INLINE std::uint32_t join(H a, H b) {
  return static_cast<std::uint32_t>(a.bits) | (static_cast<std::uint32_t>(b.bits) << 16);
}

template <class F, class H>
struct Pair {
  std::uint32_t operator()(std::uint32_t a) const { return join(F{}(low<H>(a)), F{}(high<H>(a))); }
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return join(F{}(low<H>(a), low<H>(b)), F{}(high<H>(a), high<H>(b)));
  }
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return join(F{}(low<H>(a), low<H>(b), low<H>(c)), F{}(high<H>(a), high<H>(b), high<H>(c)));
  }
};

template <class F, class H, int Operands, bool Packed>
Executor executor() {
  using T = std::conditional_t<Packed, std::uint32_t, H>;
  using G = std::conditional_t<Packed, Pair<F, H>, F>;
  if constexpr (Operands == 1) return execute_unary<G, T, T>;
  if constexpr (Operands == 2) return execute_binary<G, T, T, T>;
  if constexpr (Operands == 3) return execute_ternary<G, T, T, T, T>;
}

template <template <class, bool, bool> class F, class H, int Operands, bool Packed>
Executor choose(bool ftz, bool second) {
  if (ftz)
    return second ? executor<F<H, true, true>, H, Operands, Packed>()
                  : executor<F<H, true, false>, H, Operands, Packed>();
  return second ? executor<F<H, false, true>, H, Operands, Packed>()
                : executor<F<H, false, false>, H, Operands, Packed>();
}

template <class H, bool Packed>
Executor of_type(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kAdd:
      return choose<Add, H, 2, Packed>(key.ftz, key.saturate);
    case Operation::kSub:
      return choose<Sub, H, 2, Packed>(key.ftz, key.saturate);
    case Operation::kMul:
      return choose<Mul, H, 2, Packed>(key.ftz, key.saturate);
    case Operation::kFma:
      return key.relu ? choose<FmaThenRelu, H, 3, Packed>(key.ftz, key.saturate)
                      : choose<Fma, H, 3, Packed>(key.ftz, key.saturate);
    case Operation::kNeg:
      return choose<Neg, H, 1, Packed>(key.ftz, false);
    case Operation::kAbs:
      return choose<Abs, H, 1, Packed>(key.ftz, false);
    case Operation::kTanh:
      return choose<Tanh, H, 1, Packed>(false, false);
    case Operation::kEx2:
      return choose<Ex2, H, 1, Packed>(key.ftz, false);
    case Operation::kMin:
      return choose<Min, H, 2, Packed>(key.ftz, key.nan);
    case Operation::kMax:
      return choose<Max, H, 2, Packed>(key.ftz, key.nan);
    default:
      return nullptr;
  }
}

}  // namespace

Executor find_half_arithmetic(const OperationKey& key) {
  if (key.rounding != Modifier::kRn) return nullptr;
  switch (key.type) {
    case DataType::kF16:
      return of_type<Half, false>(key);
    case DataType::kBf16:
      return of_type<Bfloat, false>(key);
    case DataType::kF16x2:
      return of_type<Half, true>(key);
    case DataType::kBf16x2:
      return of_type<Bfloat, true>(key);
    default:
      return nullptr;
  }
}

}  // namespace tilescope::TILESCOPE_ISA
