#include "emulator/common_executors/packed_arithmetic.h"

#include <bit>
#include <cfenv>
#include <cmath>

#include "emulator/common_executors/families.h"
#include "emulator/executors/float_formats.h"
#include "emulator/executors/lanes.h"
#include "emulator/lanes_in.h"

// Floating-point arithmetic that only the newest architectures have: f32x2 (PTX ISA 9.7.3, sm_100),
// f32 with f16 or bf16 operands (9.7.5), and min and max of three inputs, with .xorsign or .abs.
// Lane by lane; MicroOp::flags and the template arguments say which.
namespace tilescope {
namespace {

using portable::canonical;
using portable::flush;
using portable::Row32;
using portable::Row64;
using portable::row_at;

struct Terms {
  float a = 0;
  float b = 0;
  float c = 0;
};

// Operands pass through volatile objects, so that the operation stays between the mode switches.
template <Operation What>
float compute(const Terms& terms, int mode) {
  volatile float a = terms.a;
  volatile float b = terms.b;
  volatile float c = terms.c;
  volatile float result = 0;
  const int before = std::fegetround();
  if (mode != before) std::fesetround(mode);
  if constexpr (What == Operation::kAdd) result = a + b;
  if constexpr (What == Operation::kSub) result = a - b;
  if constexpr (What == Operation::kMul) result = a * b;
  if constexpr (What == Operation::kFma) result = std::fma(a, b, c);
  if (mode != before) std::fesetround(before);
  return canonical(static_cast<float>(result));
}

float bits_to_float(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

// flags: kFlushes; immediate: the machine's rounding mode.
template <Operation What>
void execute_packed(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                    ExecutionContext&) {
  Row64* d = row_at<std::uint64_t>(registers, op.row[0]);
  const Row64* a = row_at<std::uint64_t>(registers, op.row[1]);
  const Row64* b = row_at<std::uint64_t>(registers, op.row[2]);
  const Row64* c = row_at<std::uint64_t>(registers, op.row[What == Operation::kFma ? 3 : 2]);
  const auto half = [&](std::uint64_t word, unsigned shift) {
    const float x = bits_to_float(word >> shift);
    return (op.flags & kFlushes) != 0 ? flush(x) : x;
  };
  for (const unsigned l : lanes_in(mask)) {
    std::uint64_t result = 0;
    for (const unsigned shift : {0u, 32u}) {
      float x = compute<What>({half(a[l], shift), half(b[l], shift), half(c[l], shift)},
                              static_cast<int>(op.immediate));
      if ((op.flags & kFlushes) != 0) x = flush(x);
      result |= std::uint64_t{std::bit_cast<std::uint32_t>(x)} << shift;
    }
    d[l] = result;
  }
}

// add, sub: d = a(H) op c; fma: a(H) * b(H) + c.
template <Operation What, class H>
void execute_mixed(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  Row32* d = row_at<std::uint32_t>(registers, op.row[0]);
  const Row32* a = row_at<std::uint32_t>(registers, op.row[1]);
  const Row32* b = row_at<std::uint32_t>(registers, op.row[2]);
  const Row32* c = row_at<std::uint32_t>(registers, op.row[What == Operation::kFma ? 3 : 2]);
  const auto narrow = [](std::uint32_t bits) {
    return portable::to_float(H{static_cast<std::uint16_t>(bits & 0xffffu)});
  };
  for (const unsigned l : lanes_in(mask)) {
    Terms terms;
    terms.a = narrow(a[l]);
    terms.b = What == Operation::kFma ? narrow(b[l]) : bits_to_float(b[l]);
    terms.c = bits_to_float(c[l]);
    float x = compute<What>(terms, static_cast<int>(op.immediate));
    if ((op.flags & kSaturates) != 0) x = portable::saturate(x);
    d[l] = std::bit_cast<std::uint32_t>(x);
  }
}

template <class T>
struct Bits;
template <>
struct Bits<float> {
  using Word = std::uint32_t;
  static float number(Word bits) { return std::bit_cast<float>(bits); }
  static constexpr Word kNan = portable::kNan32;
  static constexpr Word kSmallest = 0x00800000;
};
template <>
struct Bits<portable::Half> {
  using Word = std::uint16_t;
  static float number(Word bits) { return portable::to_float(portable::Half{bits}); }
  static constexpr Word kNan = 0x7fff;
  static constexpr Word kSmallest = 0x0400;
};
template <>
struct Bits<portable::Bfloat> {
  using Word = std::uint16_t;
  static float number(Word bits) { return portable::to_float(portable::Bfloat{bits}); }
  static constexpr Word kNan = 0x7fff;
  static constexpr Word kSmallest = 0x0080;
};

template <class T>
typename Bits<T>::Word extreme(typename Bits<T>::Word a, typename Bits<T>::Word b,
                               const ExtremeOptions& how) {
  using Word = typename Bits<T>::Word;
  constexpr Word kSign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  const auto sign = static_cast<Word>((a ^ b) & kSign);
  if (how.abs) {
    a = static_cast<Word>(a & ~kSign);
    b = static_cast<Word>(b & ~kSign);
  }
  if (how.ftz) {
    if ((a & ~kSign) < Bits<T>::kSmallest) a = static_cast<Word>(a & kSign);
    if ((b & ~kSign) < Bits<T>::kSmallest) b = static_cast<Word>(b & kSign);
  }
  const float x = Bits<T>::number(a);
  const float y = Bits<T>::number(b);
  const bool a_nan = x != x;
  const bool b_nan = y != y;
  if ((a_nan && b_nan) || (how.nan && (a_nan || b_nan))) return Bits<T>::kNan;
  Word result = 0;
  if (a_nan) {
    result = b;
  } else if (b_nan) {
    result = a;
  } else if (x == y) {  // -0 is below +0
    result = static_cast<Word>(how.larger ? a & b : a | b);
  } else {
    result = (how.larger ? x > y : x < y) ? a : b;
  }
  return how.xorsign ? static_cast<Word>((result & ~kSign) | sign) : result;
}

template <class T, bool Packed>
void execute_extreme(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                     ExecutionContext&) {
  using Word = typename Bits<T>::Word;
  const auto how = ExtremeOptions::unpack(op.flags);
  Row32* d = row_at<std::uint32_t>(registers, op.row[0]);
  const Row32* a = row_at<std::uint32_t>(registers, op.row[1]);
  const Row32* b = row_at<std::uint32_t>(registers, op.row[2]);
  const Row32* c = row_at<std::uint32_t>(registers, op.row[how.inputs == 3 ? 3 : 2]);
  for (const unsigned l : lanes_in(mask)) {
    std::uint32_t result = 0;
    for (unsigned part = 0; part < (Packed ? 2u : 1u); ++part) {
      const unsigned shift = 16 * part;
      Word found =
          extreme<T>(static_cast<Word>(a[l] >> shift), static_cast<Word>(b[l] >> shift), how);
      if (how.inputs == 3) found = extreme<T>(found, static_cast<Word>(c[l] >> shift), how);
      result |= static_cast<std::uint32_t>(found) << shift;
    }
    d[l] = result;
  }
}

template <class H>
Executor mixed(Operation what) {
  switch (what) {
    case Operation::kAdd:
      return execute_mixed<Operation::kAdd, H>;
    case Operation::kSub:
      return execute_mixed<Operation::kSub, H>;
    case Operation::kFma:
      return execute_mixed<Operation::kFma, H>;
    default:
      return nullptr;
  }
}

}  // namespace

int machine_rounding(Modifier rounding) {
  switch (rounding) {
    case Modifier::kRz:
      return FE_TOWARDZERO;
    case Modifier::kRm:
      return FE_DOWNWARD;
    case Modifier::kRp:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

std::uint8_t ExtremeOptions::pack() const {
  return static_cast<std::uint8_t>((larger ? 1u : 0u) | (nan ? 2u : 0u) | (ftz ? 4u : 0u) |
                                   (xorsign ? 8u : 0u) | (abs ? 16u : 0u) |
                                   (inputs == 3 ? 32u : 0u));
}
ExtremeOptions ExtremeOptions::unpack(std::uint8_t bits) {
  return {(bits & 1u) != 0,  (bits & 2u) != 0,
          (bits & 4u) != 0,  (bits & 8u) != 0,
          (bits & 16u) != 0, static_cast<std::uint8_t>((bits & 32u) != 0 ? 3 : 2)};
}

// key.second: add, sub, mul or fma.
Executor find_packed_arithmetic(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kPackedFloat:
      switch (key.second) {
        case Operation::kAdd:
          return execute_packed<Operation::kAdd>;
        case Operation::kSub:
          return execute_packed<Operation::kSub>;
        case Operation::kMul:
          return execute_packed<Operation::kMul>;
        default:
          return execute_packed<Operation::kFma>;
      }
    case Operation::kMixedFloat:
      if (key.source_type == DataType::kF16) return mixed<portable::Half>(key.second);
      return key.source_type == DataType::kBf16 ? mixed<portable::Bfloat>(key.second) : nullptr;
    case Operation::kRareExtreme:
      switch (key.type) {
        case DataType::kF32:
          return execute_extreme<float, false>;
        case DataType::kF16:
          return execute_extreme<portable::Half, false>;
        case DataType::kBf16:
          return execute_extreme<portable::Bfloat, false>;
        case DataType::kF16x2:
          return execute_extreme<portable::Half, true>;
        case DataType::kBf16x2:
          return execute_extreme<portable::Bfloat, true>;
        default:
          return nullptr;
      }
    default:
      return nullptr;
  }
}

}  // namespace tilescope
