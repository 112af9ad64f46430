#include "emulator/executors/families.h"
#include "emulator/executors/lanes.h"

// PTX ISA "Logic and Shift Instructions" and the bit-field part of the integer instructions.
namespace tilescope::TILESCOPE_ISA {
namespace {

struct And {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct Cnot {
  template <class T>
  T operator()(T a) const {
    return a == 0 ? T{1} : T{0};
  }
};

template <class T>
struct Shl {  // amounts past the width give 0
  T operator()(T a, std::uint32_t by) const {
    constexpr std::uint32_t kBits = 8 * sizeof(T);
    const T shifted = static_cast<T>(a << (by & (kBits - 1)));
    return by >= kBits ? T{0} : shifted;
  }
};
template <class T>
struct Shr {  // of a signed type: fills with the sign
  T operator()(T a, std::uint32_t by) const {
    constexpr std::uint32_t kBits = 8 * sizeof(T);
    return static_cast<T>(by >= kBits ? (a < 0 ? T(-1) : T{0})
                                      : static_cast<T>(a >> (by & (kBits - 1))));
  }
};
template <>
struct Shr<std::uint16_t> {
  std::uint16_t operator()(std::uint16_t a, std::uint32_t by) const {
    return by >= 16 ? std::uint16_t{0} : static_cast<std::uint16_t>(a >> (by & 15u));
  }
};
template <>
struct Shr<std::uint32_t> {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t by) const {
    return by >= 32 ? 0u : a >> (by & 31u);
  }
};
template <>
struct Shr<std::uint64_t> {
  std::uint64_t operator()(std::uint64_t a, std::uint32_t by) const {
    return by >= 64 ? std::uint64_t{0} : a >> (by & 63u);
  }
};

// shf: the high or low half of {b, a} shifted.
template <bool Left, bool Wrap>
struct Funnel {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::uint32_t by = Wrap ? c & 31u : (c < 32u ? c : 32u);
    const std::uint64_t both = (std::uint64_t{b} << 32) | a;
    return static_cast<std::uint32_t>(Left ? (both << by) >> 32 : both >> by);
  }
};

struct Lop3 {
  explicit Lop3(const MicroOp& op) {
    for (unsigned i = 0; i < 8; ++i) term[i] = ((op.immediate >> i) & 1) != 0 ? ~0u : 0u;
  }
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return (term[0] & ~a & ~b & ~c) | (term[1] & ~a & ~b & c) | (term[2] & ~a & b & ~c) |
           (term[3] & ~a & b & c) | (term[4] & a & ~b & ~c) | (term[5] & a & ~b & c) |
           (term[6] & a & b & ~c) | (term[7] & a & b & c);
  }
  std::uint32_t term[8];
};

struct Brev {
  template <class T>
  T operator()(T a) const {
    T result = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i) {
      result = static_cast<T>(result << 1) | static_cast<T>((a >> i) & 1u);
    }
    return result;
  }
};
struct Popc {
  template <class T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};
struct Clz {
  template <class T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};

// The selector nibbles of prmt's modes, for a[1:0] = 0 .. 3 (PTX ISA, prmt).
struct Prmt {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t selector) const {
    const std::uint64_t bytes = (std::uint64_t{b} << 32) | a;
    std::uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t nibble = (selector >> (4 * i)) & 0xfu;
      auto byte = static_cast<std::uint32_t>((bytes >> (8 * (nibble & 7u))) & 0xffu);
      if ((nibble & 8u) != 0) byte = (byte & 0x80u) != 0 ? 0xffu : 0u;
      result |= byte << (8 * i);
    }
    return result;
  }
};
template <std::uint32_t S0, std::uint32_t S1, std::uint32_t S2, std::uint32_t S3>
struct PrmtMode {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t selector) const {
    const std::uint32_t which = selector & 3u;
    return Prmt{}(a, b, which == 0 ? S0 : which == 1 ? S1 : which == 2 ? S2 : S3);
  }
};

template <class T>
Executor of_type(const OperationKey& key) {
  using U = std::uint32_t;
  using B = std::make_unsigned_t<T>;
  switch (key.operation) {
    case Operation::kAnd:
      return execute_binary<And, B, B, B>;
    case Operation::kOr:
      return execute_binary<Or, B, B, B>;
    case Operation::kXor:
      return execute_binary<Xor, B, B, B>;
    case Operation::kNot:
      return execute_unary<Not, B, B>;
    case Operation::kCnot:
      return execute_unary<Cnot, B, B>;
    case Operation::kShl:
      return execute_binary<Shl<B>, B, B, U>;
    case Operation::kShr:
      return execute_binary<Shr<T>, T, T, U>;
    default:
      break;
  }
  if constexpr (sizeof(T) >= 4) {
    switch (key.operation) {
      case Operation::kBrev:
        return execute_unary<Brev, B, B>;
      case Operation::kPopc:
        return execute_unary<Popc, U, B>;
      case Operation::kClz:
        return execute_unary<Clz, U, B>;
      default:
        break;
    }
  }
  return nullptr;
}

Executor permute(const OperationKey& key) {
  using U = std::uint32_t;
  switch (key.comparison) {
    case Modifier::kF4e:
      return execute_ternary<PrmtMode<0x3210, 0x4321, 0x5432, 0x6543>, U, U, U, U>;
    case Modifier::kB4e:
      return execute_ternary<PrmtMode<0x5670, 0x6701, 0x7012, 0x0123>, U, U, U, U>;
    case Modifier::kRc8:
      return execute_ternary<PrmtMode<0x0000, 0x1111, 0x2222, 0x3333>, U, U, U, U>;
    case Modifier::kEcl:
      return execute_ternary<PrmtMode<0x3210, 0x3211, 0x3222, 0x3333>, U, U, U, U>;
    case Modifier::kEcr:
      return execute_ternary<PrmtMode<0x0000, 0x1110, 0x2210, 0x3210>, U, U, U, U>;
    case Modifier::kRc16:
      return execute_ternary<PrmtMode<0x1010, 0x3232, 0x1010, 0x3232>, U, U, U, U>;
    default:
      return execute_ternary<Prmt, U, U, U, U>;
  }
}

}  // namespace

Executor find_bit_operation(const OperationKey& key) {
  using U = std::uint32_t;
  switch (key.operation) {
    case Operation::kLop3:
      return execute_ternary<Lop3, U, U, U, U>;
    case Operation::kPrmt:
      return permute(key);
    case Operation::kFunnelLeft:
      return key.clamp ? execute_ternary<Funnel<true, false>, U, U, U, U>
                       : execute_ternary<Funnel<true, true>, U, U, U, U>;
    case Operation::kFunnelRight:
      return key.clamp ? execute_ternary<Funnel<false, false>, U, U, U, U>
                       : execute_ternary<Funnel<false, true>, U, U, U, U>;
    default:
      break;
  }
  return for_integer_type<2>(key.type, [&]<class T>() { return of_type<T>(key); });
}

}  // namespace tilescope::TILESCOPE_ISA
