#include "emulator/executors/families.h"
#include "emulator/executors/lanes.h"

// PTX ISA "Integer Arithmetic Instructions". Arithmetic wraps, so it is done on unsigned types.
namespace tilescope::TILESCOPE_ISA {
namespace {

__extension__ using Wide128 = unsigned __int128;
__extension__ using SignedWide128 = __int128;

template <class T>
struct WiderType;
template <>
struct WiderType<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct WiderType<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct WiderType<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct WiderType<std::int32_t> {
  using Type = std::int64_t;
};
template <>
struct WiderType<std::uint64_t> {
  using Type = Wide128;
};
template <>
struct WiderType<std::int64_t> {
  using Type = SignedWide128;
};
template <class T>
using Wider = typename WiderType<T>::Type;

// At least 32 bits, so that 16-bit operands are not promoted to int.
template <class T>
using Work = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
struct Add {
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Work<T>>(a) + static_cast<Work<T>>(b));
  }
};
template <class T>
struct Sub {
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Work<T>>(a) - static_cast<Work<T>>(b));
  }
};
struct AddSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    const std::int64_t sum = std::int64_t{a} + b;
    return static_cast<std::int32_t>(sum > INT32_MAX ? INT32_MAX
                                                     : (sum < INT32_MIN ? INT32_MIN : sum));
  }
};
struct SubSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    const std::int64_t sum = std::int64_t{a} - b;
    return static_cast<std::int32_t>(sum > INT32_MAX ? INT32_MAX
                                                     : (sum < INT32_MIN ? INT32_MIN : sum));
  }
};
template <class T>
struct Mul {
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Work<T>>(a) * static_cast<Work<T>>(b));
  }
};
template <class T>
struct MulHi {
  T operator()(T a, T b) const {
    return static_cast<T>((static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b)) >> (8 * sizeof(T)));
  }
};
template <class T>
struct MulWide {
  Wider<T> operator()(T a, T b) const {
    return static_cast<Wider<T>>(static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b));
  }
};
template <class T>
struct Mad {
  T operator()(T a, T b, T c) const { return Add<T>{}(Mul<T>{}(a, b), c); }
};
template <class T>
struct MadHi {
  T operator()(T a, T b, T c) const { return Add<T>{}(MulHi<T>{}(a, b), c); }
};
struct MadHiSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return AddSaturated{}(MulHi<std::int32_t>{}(a, b), c);
  }
};
template <class T>
struct MadWide {
  Wider<T> operator()(T a, T b, Wider<T> c) const {
    return Add<Wider<T>>{}(static_cast<Wider<T>>(MulWide<T>{}(a, b)), c);
  }
};

template <class T>
TILESCOPE_INLINE std::int64_t low_24(T a) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8;
  } else {
    return static_cast<std::uint32_t>(a) & 0xffffffu;
  }
}
template <class T, int Shift>
struct Mul24 {  // .lo: bits 31..0 of the 48-bit product, .hi: bits 47..16
  T operator()(T a, T b) const { return static_cast<T>((low_24(a) * low_24(b)) >> Shift); }
};
template <class T, int Shift>
struct Mad24 {
  T operator()(T a, T b, T c) const { return Add<T>{}(Mul24<T, Shift>{}(a, b), c); }
};
struct Mad24HiSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return AddSaturated{}(Mul24<std::int32_t, 16>{}(a, b), c);
  }
};

// Division by zero gives all ones, its remainder the dividend (as the hardware's routine does).
template <class T>
struct Div {
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Sub<T>{}(0, a);
    return static_cast<T>(a / b);
  }
};
template <class T>
struct Rem {
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(-1);  // seen on an H200; the ISA leaves it open
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
template <class T>
struct Min {
  T operator()(T a, T b) const { return a < b ? a : b; }
};
template <class T>
struct Max {
  T operator()(T a, T b) const { return a > b ? a : b; }
};
template <class T>
struct MinRelu {
  T operator()(T a, T b) const { return Max<T>{}(Min<T>{}(a, b), 0); }
};
template <class T>
struct MaxRelu {
  T operator()(T a, T b) const { return Max<T>{}(Max<T>{}(a, b), 0); }
};
template <class T>
struct Abs {
  T operator()(T a) const { return a < 0 ? Sub<T>{}(0, a) : a; }
};
template <class T>
struct Neg {
  T operator()(T a) const { return Sub<T>{}(0, a); }
};
template <class T>
struct Sad {  // c + |a - b|
  T operator()(T a, T b, T c) const { return Add<T>{}(c, a < b ? Sub<T>{}(b, a) : Sub<T>{}(a, b)); }
};

template <class T, template <class> class F>
struct PackedHalves {  // add.u16x2 ...
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    const auto low = static_cast<std::uint16_t>(
        F<T>{}(static_cast<T>(a & 0xffffu), static_cast<T>(b & 0xffffu)));
    const auto high =
        static_cast<std::uint16_t>(F<T>{}(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
    return low | (static_cast<std::uint32_t>(high) << 16);
  }
};

// dp4a, dp2a: `a` and `b` as signed or unsigned parts.
template <bool Signed, int Bits>
TILESCOPE_INLINE std::int32_t part(std::uint32_t word, int index) {
  const std::uint32_t up = word << (32 - Bits * (index + 1));
  return Signed ? static_cast<std::int32_t>(up) >> (32 - Bits)
                : static_cast<std::int32_t>(up >> (32 - Bits));
}
template <bool SignedA, bool SignedB>
struct Dp4a {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    for (int i = 0; i < 4; ++i) {
      c += static_cast<std::uint32_t>(part<SignedA, 8>(a, i) * part<SignedB, 8>(b, i));
    }
    return c;
  }
};
template <bool SignedA, bool SignedB, int First>
struct Dp2a {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    for (int i = 0; i < 2; ++i) {
      c += static_cast<std::uint32_t>(part<SignedA, 16>(a, i) * part<SignedB, 8>(b, First + i));
    }
    return c;
  }
};

template <class T>
Executor of_type(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kAdd:
      return execute_binary<Add<T>, T, T, T>;
    case Operation::kSub:
      return execute_binary<Sub<T>, T, T, T>;
    case Operation::kMul:
      return execute_binary<Mul<T>, T, T, T>;
    case Operation::kMulHi:
      return execute_binary<MulHi<T>, T, T, T>;
    case Operation::kMad:
      return execute_ternary<Mad<T>, T, T, T, T>;
    case Operation::kMadHi:
      return execute_ternary<MadHi<T>, T, T, T, T>;
    case Operation::kDiv:
      return execute_binary<Div<T>, T, T, T>;
    case Operation::kRem:
      return execute_binary<Rem<T>, T, T, T>;
    case Operation::kMin:
      return execute_binary<Min<T>, T, T, T>;
    case Operation::kMax:
      return execute_binary<Max<T>, T, T, T>;
    case Operation::kSad:
      return execute_ternary<Sad<T>, T, T, T, T>;
    case Operation::kMulWide:
      if constexpr (sizeof(T) < 8) return execute_binary<MulWide<T>, Wider<T>, T, T>;
      break;
    case Operation::kMadWide:
      if constexpr (sizeof(T) < 8) return execute_ternary<MadWide<T>, Wider<T>, T, T, Wider<T>>;
      break;
    case Operation::kMul24:
      if constexpr (sizeof(T) == 4) return execute_binary<Mul24<T, 0>, T, T, T>;
      break;
    case Operation::kMul24Hi:
      if constexpr (sizeof(T) == 4) return execute_binary<Mul24<T, 16>, T, T, T>;
      break;
    case Operation::kMad24:
      if constexpr (sizeof(T) == 4) return execute_ternary<Mad24<T, 0>, T, T, T, T>;
      break;
    case Operation::kMad24Hi:
      if constexpr (sizeof(T) == 4) return execute_ternary<Mad24<T, 16>, T, T, T, T>;
      break;
    case Operation::kAbs:
      if constexpr (std::is_signed_v<T>) return execute_unary<Abs<T>, T, T>;
      break;
    case Operation::kNeg:
      return execute_unary<Neg<T>, T, T>;
    default:
      break;
  }
  return nullptr;
}

template <class T>
Executor packed(const OperationKey& key) {
  using P = std::uint32_t;
  switch (key.operation) {
    case Operation::kAdd:
      return execute_binary<PackedHalves<T, Add>, P, P, P>;
    case Operation::kMin:
      return key.relu ? execute_binary<PackedHalves<T, MinRelu>, P, P, P>
                      : execute_binary<PackedHalves<T, Min>, P, P, P>;
    case Operation::kMax:
      return key.relu ? execute_binary<PackedHalves<T, MaxRelu>, P, P, P>
                      : execute_binary<PackedHalves<T, Max>, P, P, P>;
    default:
      return nullptr;
  }
}

Executor saturated(const OperationKey& key) {
  using S = std::int32_t;
  switch (key.operation) {
    case Operation::kAdd:
      return execute_binary<AddSaturated, S, S, S>;
    case Operation::kSub:
      return execute_binary<SubSaturated, S, S, S>;
    case Operation::kMadHi:
      return execute_ternary<MadHiSaturated, S, S, S, S>;
    case Operation::kMad24Hi:
      return execute_ternary<Mad24HiSaturated, S, S, S, S>;
    default:
      return nullptr;
  }
}

Executor dot_product(const OperationKey& key) {
  using U = std::uint32_t;
  const bool a = is_signed(key.type);
  const bool b = is_signed(key.source_type);
  if (key.operation == Operation::kDp4a) {
    if (a)
      return b ? execute_ternary<Dp4a<true, true>, U, U, U, U>
               : execute_ternary<Dp4a<true, false>, U, U, U, U>;
    return b ? execute_ternary<Dp4a<false, true>, U, U, U, U>
             : execute_ternary<Dp4a<false, false>, U, U, U, U>;
  }
  const bool high = key.comparison == Modifier::kHi;
  if (high) {
    if (a)
      return b ? execute_ternary<Dp2a<true, true, 2>, U, U, U, U>
               : execute_ternary<Dp2a<true, false, 2>, U, U, U, U>;
    return b ? execute_ternary<Dp2a<false, true, 2>, U, U, U, U>
             : execute_ternary<Dp2a<false, false, 2>, U, U, U, U>;
  }
  if (a)
    return b ? execute_ternary<Dp2a<true, true, 0>, U, U, U, U>
             : execute_ternary<Dp2a<true, false, 0>, U, U, U, U>;
  return b ? execute_ternary<Dp2a<false, true, 0>, U, U, U, U>
           : execute_ternary<Dp2a<false, false, 0>, U, U, U, U>;
}

}  // namespace

Executor find_integer_arithmetic(const OperationKey& key) {
  if (key.operation == Operation::kDp4a || key.operation == Operation::kDp2a)
    return dot_product(key);
  if (key.saturate) return key.type == DataType::kS32 ? saturated(key) : nullptr;
  if (key.relu && key.type == DataType::kS32) {
    if (key.operation == Operation::kMin) {
      return execute_binary<MinRelu<std::int32_t>, std::int32_t, std::int32_t, std::int32_t>;
    }
    return execute_binary<MaxRelu<std::int32_t>, std::int32_t, std::int32_t, std::int32_t>;
  }
  if (key.type == DataType::kU16x2) return packed<std::uint16_t>(key);
  if (key.type == DataType::kS16x2) return packed<std::int16_t>(key);
  return for_integer_type<2>(key.type, [&]<class T>() { return of_type<T>(key); });
}

}  // namespace tilescope::TILESCOPE_ISA
