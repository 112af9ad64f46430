#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "emulator/common_executors/families.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/register_cells.h"
#include "emulator/execution/warp.h"
#include "emulator/executors/float_formats.h"

// atom and red (PTX ISA "atom", "red"). Lanes go one after the other; a step is atomic between the
// worker threads, which share global memory.
namespace tilescope {
namespace {

using portable::Bfloat;
using portable::Half;

// B: unsigned bits of the width that is exchanged; F: (old, a, b) -> new.
template <class B, AddressForm Form, class F>
void execute_atomic(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                    ExecutionContext& context) {
  alignas(64) LaneArray addresses;
  const auto displacement = static_cast<std::uint64_t>(op.immediate);
  for (unsigned l = 0; l < kWarpSize; ++l) {
    if constexpr (Form == AddressForm::kWide) {
      addresses[l] = value_at<std::uint64_t>(registers, op.row[1], l) + displacement;
    } else {
      addresses[l] = value_at<std::uint32_t>(registers, op.row[1], l) +
                     static_cast<std::uint32_t>(displacement);
    }
  }
  const PlacedLanes placed =
      place_lanes(op, mask, op.space, AccessKind::kAtomic, addresses, context);
  for (const unsigned lane : lanes_in(mask)) {
    if (((placed.mask >> lane) & 1u) == 0) {
      put_value<B>(registers, op.row[0], lane, B{0});
      continue;
    }
    const B a = value_at<B>(registers, op.row[2], lane);
    const B b = value_at<B>(registers, op.row[3], lane);
    // place_lanes() has checked the alignment; buffers begin at multiples of 16.
    B* cell = reinterpret_cast<B*>(placed.data[lane]);
    B old = __atomic_load_n(cell, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(cell, &old, F::next(old, a, b), true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
    context.warp->acted |= F::next(old, a, b) != old;
    put_value<B>(registers, op.row[0], lane, old);
  }
}

template <class B>
struct Add {
  static B next(B old, B a, B) { return static_cast<B>(old + a); }
};
template <class B>
struct And {
  static B next(B old, B a, B) { return static_cast<B>(old & a); }
};
template <class B>
struct Or {
  static B next(B old, B a, B) { return static_cast<B>(old | a); }
};
template <class B>
struct Xor {
  static B next(B old, B a, B) { return static_cast<B>(old ^ a); }
};
template <class B>
struct Exchange {
  static B next(B, B a, B) { return a; }
};
template <class B>
struct CompareAndSwap {
  static B next(B old, B a, B b) { return old == a ? b : old; }
};
template <class B>
struct Increment {
  static B next(B old, B a, B) { return old >= a ? B{0} : static_cast<B>(old + 1); }
};
template <class B>
struct Decrement {
  static B next(B old, B a, B) { return old == 0 || old > a ? a : static_cast<B>(old - 1); }
};
template <class B, class T>
struct Min {
  static B next(B old, B a, B) { return static_cast<T>(a) < static_cast<T>(old) ? a : old; }
};
template <class B, class T>
struct Max {
  static B next(B old, B a, B) { return static_cast<T>(a) > static_cast<T>(old) ? a : old; }
};

// atom.add.f32 on global memory flushes subnormals; on shared memory it does not (PTX ISA, atom).
struct AddFloat {
  static std::uint32_t next(std::uint32_t old, std::uint32_t a, std::uint32_t) {
    const float sum = std::bit_cast<float>(old) + std::bit_cast<float>(a);
    return std::bit_cast<std::uint32_t>(portable::canonical(sum));
  }
};
struct AddFlushedFloat {
  static std::uint32_t next(std::uint32_t old, std::uint32_t a, std::uint32_t) {
    const float sum =
        portable::flush(std::bit_cast<float>(old)) + portable::flush(std::bit_cast<float>(a));
    return std::bit_cast<std::uint32_t>(portable::flush(portable::canonical(sum)));
  }
};
struct AddDouble {
  static std::uint64_t next(std::uint64_t old, std::uint64_t a, std::uint64_t) {
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(a));
  }
};
template <class H>
struct AddHalf {
  static std::uint16_t next(std::uint16_t old, std::uint16_t a, std::uint16_t) {
    return portable::from_float<H>(portable::to_float(H{old}) + portable::to_float(H{a})).bits;
  }
};
template <class H>
struct AddHalves {
  static std::uint32_t next(std::uint32_t old, std::uint32_t a, std::uint32_t) {
    const auto low = AddHalf<H>::next(static_cast<std::uint16_t>(old & 0xffff),
                                      static_cast<std::uint16_t>(a & 0xffff), 0);
    const auto high = AddHalf<H>::next(static_cast<std::uint16_t>(old >> 16),
                                       static_cast<std::uint16_t>(a >> 16), 0);
    return low | (static_cast<std::uint32_t>(high) << 16);
  }
};

template <class B, class F>
Executor with_form(const OperationKey& key) {
  return key.address == AddressForm::kWide ? execute_atomic<B, AddressForm::kWide, F>
                                           : execute_atomic<B, AddressForm::kNarrow, F>;
}

template <class B, class S>
Executor integer(const OperationKey& key) {
  const bool is_signed_type = is_signed(key.type);
  switch (key.comparison) {
    case Modifier::kAdd:
      return with_form<B, Add<B>>(key);
    case Modifier::kAnd:
      return with_form<B, And<B>>(key);
    case Modifier::kOr:
      return with_form<B, Or<B>>(key);
    case Modifier::kXor:
      return with_form<B, Xor<B>>(key);
    case Modifier::kExch:
      return with_form<B, Exchange<B>>(key);
    case Modifier::kCas:
      return with_form<B, CompareAndSwap<B>>(key);
    case Modifier::kInc:
      return with_form<B, Increment<B>>(key);
    case Modifier::kDec:
      return with_form<B, Decrement<B>>(key);
    case Modifier::kMin:
      return is_signed_type ? with_form<B, Min<B, S>>(key) : with_form<B, Min<B, B>>(key);
    case Modifier::kMax:
      return is_signed_type ? with_form<B, Max<B, S>>(key) : with_form<B, Max<B, B>>(key);
    default:
      return nullptr;
  }
}

}  // namespace

Executor find_atomic(const OperationKey& key) {
  if (key.operation != Operation::kAtomic) return nullptr;
  const bool add = key.comparison == Modifier::kAdd;
  switch (key.type) {
    case DataType::kB32:
    case DataType::kU32:
    case DataType::kS32:
      return integer<std::uint32_t, std::int32_t>(key);
    case DataType::kB64:
    case DataType::kU64:
    case DataType::kS64:
      return integer<std::uint64_t, std::int64_t>(key);
    case DataType::kB16:
      if (key.comparison == Modifier::kCas)
        return with_form<std::uint16_t, CompareAndSwap<std::uint16_t>>(key);
      return key.comparison == Modifier::kExch
                 ? with_form<std::uint16_t, Exchange<std::uint16_t>>(key)
                 : nullptr;
    case DataType::kF32:
      if (key.comparison == Modifier::kExch)
        return with_form<std::uint32_t, Exchange<std::uint32_t>>(key);
      if (!add) return nullptr;
      return key.space == MemorySpace::kShared ? with_form<std::uint32_t, AddFloat>(key)
                                               : with_form<std::uint32_t, AddFlushedFloat>(key);
    case DataType::kF64:
      return add ? with_form<std::uint64_t, AddDouble>(key) : nullptr;
    case DataType::kF16:
      return add ? with_form<std::uint16_t, AddHalf<Half>>(key) : nullptr;
    case DataType::kBf16:
      return add ? with_form<std::uint16_t, AddHalf<Bfloat>>(key) : nullptr;
    case DataType::kF16x2:
      return add ? with_form<std::uint32_t, AddHalves<Half>>(key) : nullptr;
    case DataType::kBf16x2:
      return add ? with_form<std::uint32_t, AddHalves<Bfloat>>(key) : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace tilescope
