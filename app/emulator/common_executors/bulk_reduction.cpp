#include "emulator/common_executors/bulk_reduction.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emulator/executors/float_formats.h"

namespace tilescope {
namespace {

using portable::Bfloat;
using portable::Half;

// B: the bits of an element; Change: (old, operand) -> new.
template <class B, class Change>
void change_in_bulk(std::byte* to, const std::byte* from) {
  B operand;
  std::memcpy(&operand, from, sizeof operand);
  B* const cell = reinterpret_cast<B*>(to);
  B old = __atomic_load_n(cell, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(cell, &old, Change::of(old, operand), true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
}

template <class B>
struct BulkAdd {
  static B of(B old, B x) { return old + x; }
};
template <class B>
struct BulkAnd {
  static B of(B old, B x) { return old & x; }
};
template <class B>
struct BulkOr {
  static B of(B old, B x) { return old | x; }
};
template <class B>
struct BulkXor {
  static B of(B old, B x) { return old ^ x; }
};
template <class B, class T>
struct BulkMin {
  static B of(B old, B x) { return static_cast<T>(x) < static_cast<T>(old) ? x : old; }
};
template <class B, class T>
struct BulkMax {
  static B of(B old, B x) { return static_cast<T>(x) > static_cast<T>(old) ? x : old; }
};
struct BulkIncrement {
  static std::uint32_t of(std::uint32_t old, std::uint32_t most) {
    return old >= most ? 0 : old + 1;
  }
};
struct BulkDecrement {
  static std::uint32_t of(std::uint32_t old, std::uint32_t most) {
    return old == 0 || old > most ? most : old - 1;
  }
};
// As red.global.add.f32, which flushes subnormals.
struct BulkAddFloat {
  static std::uint32_t of(std::uint32_t old, std::uint32_t x) {
    const float sum =
        portable::flush(std::bit_cast<float>(old)) + portable::flush(std::bit_cast<float>(x));
    return std::bit_cast<std::uint32_t>(portable::flush(portable::canonical(sum)));
  }
};
struct BulkAddDouble {
  static std::uint64_t of(std::uint64_t old, std::uint64_t x) {
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(x));
  }
};
template <class H>
struct BulkAddHalf {
  static std::uint16_t of(std::uint16_t old, std::uint16_t x) {
    return portable::from_float<H>(portable::to_float(H{old}) + portable::to_float(H{x})).bits;
  }
};
// A number wins over NaN.
template <class H, bool Max>
struct BulkExtremeHalf {
  static std::uint16_t of(std::uint16_t old, std::uint16_t x) {
    const float a = portable::to_float(H{old}), b = portable::to_float(H{x});
    if (a != a) return portable::canonical(H{x}).bits;
    if (b != b) return old;
    const bool a_is_less = a < b || (a == b && (old & 0x8000u) > (x & 0x8000u));
    return a_is_less == Max ? x : old;
  }
};

template <class B>
BulkReduction bitwise(Modifier reduction) {
  switch (reduction) {
    case Modifier::kAnd:
      return change_in_bulk<B, BulkAnd<B>>;
    case Modifier::kOr:
      return change_in_bulk<B, BulkOr<B>>;
    case Modifier::kXor:
      return change_in_bulk<B, BulkXor<B>>;
    default:
      return nullptr;
  }
}

template <class T>
BulkReduction whole_number(Modifier reduction) {
  using B = std::make_unsigned_t<T>;
  switch (reduction) {
    case Modifier::kAdd:
      return change_in_bulk<B, BulkAdd<B>>;
    case Modifier::kMin:
      return change_in_bulk<B, BulkMin<B, T>>;
    case Modifier::kMax:
      return change_in_bulk<B, BulkMax<B, T>>;
    default:
      return bitwise<B>(reduction);
  }
}

template <class H>
BulkReduction half(Modifier reduction) {
  switch (reduction) {
    case Modifier::kAdd:
      return change_in_bulk<std::uint16_t, BulkAddHalf<H>>;
    case Modifier::kMin:
      return change_in_bulk<std::uint16_t, BulkExtremeHalf<H, false>>;
    case Modifier::kMax:
      return change_in_bulk<std::uint16_t, BulkExtremeHalf<H, true>>;
    default:
      return nullptr;
  }
}

}  // namespace

BulkReduction find_bulk_reduction(DataType type, Modifier reduction) {
  const bool adds = reduction == Modifier::kAdd;
  switch (type) {
    case DataType::kU32:
      if (reduction == Modifier::kInc) return change_in_bulk<std::uint32_t, BulkIncrement>;
      if (reduction == Modifier::kDec) return change_in_bulk<std::uint32_t, BulkDecrement>;
      return whole_number<std::uint32_t>(reduction);
    case DataType::kS32:
      return whole_number<std::int32_t>(reduction);
    case DataType::kU64:
      return whole_number<std::uint64_t>(reduction);
    case DataType::kS64:
      return whole_number<std::int64_t>(reduction);
    case DataType::kB32:
      return bitwise<std::uint32_t>(reduction);
    case DataType::kB64:
      return bitwise<std::uint64_t>(reduction);
    case DataType::kF32:
      return adds ? change_in_bulk<std::uint32_t, BulkAddFloat> : nullptr;
    case DataType::kF64:
      return adds ? change_in_bulk<std::uint64_t, BulkAddDouble> : nullptr;
    case DataType::kF16:
      return half<Half>(reduction);
    case DataType::kBf16:
      return half<Bfloat>(reduction);
    default:
      return nullptr;
  }
}

}  // namespace tilescope
