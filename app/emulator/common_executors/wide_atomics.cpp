#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>

#include "emulator/common_executors/families.h"
#include "emulator/execution/async_copies.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/register_cells.h"
#include "emulator/execution/warp.h"
#include "emulator/executors/float_formats.h"

// atom and red of vectors (each element by itself is atomic, PTX ISA "atom") and of 128 bits.
// row[0] is the address; Code::rows holds the results, then the operands.
namespace tilescope {
namespace {

using portable::Bfloat;
using portable::Half;

PlacedLanes place(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                  ExecutionContext& context, bool wide) {
  alignas(64) LaneArray addresses;
  const auto displacement = static_cast<std::uint64_t>(op.immediate);
  for (unsigned l = 0; l < kWarpSize; ++l) {
    addresses[l] = wide ? value_at<std::uint64_t>(registers, op.row[0], l) + displacement
                        : value_at<std::uint32_t>(registers, op.row[0], l) +
                              static_cast<std::uint32_t>(displacement);
  }
  return place_lanes(op, mask, op.space, AccessKind::kAtomic, addresses, context);
}

struct AddFloat {
  using Word = std::uint32_t;
  static Word next(Word old, Word a, bool flushes) {
    using portable::flush;
    const auto x = std::bit_cast<float>(old);
    const auto y = std::bit_cast<float>(a);
    const float sum = portable::canonical(flushes ? flush(x) + flush(y) : x + y);
    return std::bit_cast<Word>(flushes ? flush(sum) : sum);
  }
};
template <class H, Modifier What>
struct OnHalf {
  using Word = std::uint16_t;
  static Word next(Word old, Word a, bool) {
    const float x = portable::to_float(H{old});
    const float y = portable::to_float(H{a});
    if constexpr (What == Modifier::kAdd) return portable::from_float<H>(x + y).bits;
    if (std::isnan(x) || std::isnan(y)) {
      return std::isnan(x) && std::isnan(y) ? Word{0x7fff} : (std::isnan(x) ? a : old);
    }
    if (x == y) return static_cast<Word>(What == Modifier::kMax ? old & a : old | a);
    return (What == Modifier::kMax ? x > y : x < y) ? old : a;
  }
};
template <class H, Modifier What>
struct OnHalves {
  using Word = std::uint32_t;
  static Word next(Word old, Word a, bool) {
    using One = OnHalf<H, What>;
    const auto low = One::next(static_cast<std::uint16_t>(old & 0xffff),
                               static_cast<std::uint16_t>(a & 0xffff), false);
    const auto high = One::next(static_cast<std::uint16_t>(old >> 16),
                                static_cast<std::uint16_t>(a >> 16), false);
    return low | (static_cast<Word>(high) << 16);
  }
};

// flags bit 0: there are results; extra_count: rows of both.
template <class F, AddressForm Form>
void execute_vector(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                    ExecutionContext& context) {
  using Word = typename F::Word;
  const bool returns = (op.flags & 1u) != 0;
  const unsigned elements = returns ? op.extra_count / 2u : op.extra_count;
  const PlacedLanes placed = place(op, registers, mask, context, Form == AddressForm::kWide);
  const bool flushes = op.space != MemorySpace::kShared;
  context.warp->acted = true;
  for (const unsigned lane : lanes_in(mask)) {
    const bool good = ((placed.mask >> lane) & 1u) != 0;
    std::array<Word, 8> before{};
    for (unsigned k = 0; k < elements && good; ++k) {
      const auto a =
          value_at<Word>(registers, further_row(op, context, (returns ? elements : 0) + k), lane);
      Word* at = reinterpret_cast<Word*>(placed.data[lane]) + k;
      Word old = __atomic_load_n(at, __ATOMIC_RELAXED);
      while (!__atomic_compare_exchange_n(at, &old, F::next(old, a, flushes), true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      }
      before[k] = old;
    }
    for (unsigned k = 0; k < elements && returns; ++k)
      put_value<Word>(registers, further_row(op, context, k), lane, before[k]);
  }
}

// Rows: result low, high; a low, high; b low, high (cas). flags bit 1: cas. One lock for all
// 128-bit atomics of the process: they are atomic among themselves, as correct kernels need.
template <AddressForm Form>
void execute_pair(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                  ExecutionContext& context) {
  static std::mutex mutex;
  using Pair = std::array<std::uint64_t, 2>;
  const PlacedLanes placed = place(op, registers, mask, context, Form == AddressForm::kWide);
  const bool swaps_if_equal = (op.flags & 2u) != 0;
  const auto pair_at = [&](unsigned first, unsigned lane) {
    return Pair{value_at<std::uint64_t>(registers, further_row(op, context, first), lane),
                value_at<std::uint64_t>(registers, further_row(op, context, first + 1), lane)};
  };
  for (const unsigned lane : lanes_in(mask)) {
    Pair old{};
    if (((placed.mask >> lane) & 1u) != 0) {
      const Pair a = pair_at(2, lane);
      const Pair b = swaps_if_equal ? pair_at(4, lane) : a;
      const std::scoped_lock lock(mutex);
      std::memcpy(old.data(), placed.data[lane], sizeof old);
      const bool swaps = !swaps_if_equal || old == a;
      if (swaps) std::memcpy(placed.data[lane], b.data(), sizeof b);
      context.warp->acted |= swaps && b != old;
    }
    put_value<std::uint64_t>(registers, further_row(op, context, 0), lane, old[0]);
    put_value<std::uint64_t>(registers, further_row(op, context, 1), lane, old[1]);
  }
}

template <class F>
Executor with_form(const OperationKey& key) {
  return key.address == AddressForm::kWide ? execute_vector<F, AddressForm::kWide>
                                           : execute_vector<F, AddressForm::kNarrow>;
}
template <template <class, Modifier> class F, class H>
Executor of_half(const OperationKey& key) {
  switch (key.comparison) {
    case Modifier::kAdd:
      return with_form<F<H, Modifier::kAdd>>(key);
    case Modifier::kMin:
      return with_form<F<H, Modifier::kMin>>(key);
    case Modifier::kMax:
      return with_form<F<H, Modifier::kMax>>(key);
    default:
      return nullptr;
  }
}

}  // namespace

Executor find_wide_atomic(const OperationKey& key) {
  if (key.operation == Operation::kPairAtomic) {
    return key.address == AddressForm::kWide ? execute_pair<AddressForm::kWide>
                                             : execute_pair<AddressForm::kNarrow>;
  }
  if (key.operation != Operation::kVectorAtomic) return nullptr;
  switch (key.type) {
    case DataType::kF32:
      return key.comparison == Modifier::kAdd ? with_form<AddFloat>(key) : nullptr;
    case DataType::kF16:
      return of_half<OnHalf, Half>(key);
    case DataType::kBf16:
      return of_half<OnHalf, Bfloat>(key);
    case DataType::kF16x2:
      return of_half<OnHalves, Half>(key);
    case DataType::kBf16x2:
      return of_half<OnHalves, Bfloat>(key);
    default:
      return nullptr;
  }
}

}  // namespace tilescope
