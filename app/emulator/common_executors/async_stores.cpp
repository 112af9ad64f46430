#include <bit>
#include <cstring>
#include <functional>
#include <vector>

#include "emulator/common_executors/families.h"
#include "emulator/execution/async_copies.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/register_cells.h"

// st.async and red.async (PTX ISA, "st.async", "red.async"): stores into the shared memory of a
// cluster that an mbarrier beside them counts.
namespace tilescope {
namespace {

// Further rows: destination and mbarrier, the displacements of both, then the data. flags bit 0, 1:
// the address has 64 bits; bit 2: so have the data's elements.
constexpr unsigned kFirstElement = 4;

std::uint64_t address_at(const MicroOp& op, const std::byte* registers, unsigned lane,
                         unsigned index, const ExecutionContext& context) {
  const bool wide = ((op.flags >> index) & 1u) != 0;
  const std::uint64_t displacement =
      cell_at(registers, further_row(op, context, index + 2), lane, true);
  const std::uint64_t address =
      cell_at(registers, further_row(op, context, index), lane, wide) + displacement;
  return wide ? address : address & 0xffffffffu;
}

std::vector<std::byte> data_at(const MicroOp& op, const std::byte* registers, unsigned lane,
                               const ExecutionContext& context) {
  const bool wide = (op.flags & 4u) != 0;
  const unsigned elements = op.extra_count - kFirstElement;
  const std::size_t bytes = op.bytes / elements;
  std::vector<std::byte> data(op.bytes);
  for (unsigned k = 0; k < elements; ++k) {
    const std::uint64_t value =
        cell_at(registers, further_row(op, context, kFirstElement + k), lane, wide);
    std::memcpy(data.data() + k * bytes, &value, bytes);
  }
  return data;
}

template <BulkTransfers::Combine Change>
void execute(const MicroOp& op, std::byte* registers, std::uint32_t mask,
             ExecutionContext& context) {
  MicroOp object = op;
  object.bytes = 8;
  for (const unsigned lane : lanes_in(mask)) {
    const auto to =
        place_lane(op, lane, address_at(op, registers, lane, 0, context), op.space, true, context);
    const auto barrier = place_lane(object, lane, address_at(op, registers, lane, 1, context),
                                    op.space, true, context);
    if (!to || !barrier) continue;
    if (to->owner == nullptr || to->owner != barrier->owner) {
      report(context, FindingKind::kBarrier, op, lane,
             "the mbarrier lies in another block's shared memory than what is stored: map both to "
             "one block");
      continue;
    }
    to->owner->transfers->copy_later(
        {barrier->offset(), to->offset(), data_at(op, registers, lane, context), Change,
         BulkTransfers::issuer_of(op, lane, context)},
        *to->owner);
  }
}

template <class T, class F>
void combine(std::byte* to, const std::byte* from) {
  T old;
  T value;
  std::memcpy(&old, to, sizeof old);
  std::memcpy(&value, from, sizeof value);
  const T now = F{}(old, value);
  std::memcpy(to, &now, sizeof now);
}

struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? a : b;
  }
};
struct Increment {
  template <class T>
  T operator()(T old, T most) const {
    return old >= most ? T{0} : old + 1;
  }
};
struct Decrement {
  template <class T>
  T operator()(T old, T most) const {
    return old == 0 || old > most ? most : old - 1;
  }
};

template <class T>
Executor reduction(Modifier operation) {
  switch (operation) {
    case Modifier::kAdd:
      return execute<combine<std::make_unsigned_t<T>, std::plus<>>>;
    case Modifier::kMin:
      return execute<combine<T, Min>>;
    case Modifier::kMax:
      return execute<combine<T, Max>>;
    case Modifier::kAnd:
      return execute<combine<T, std::bit_and<>>>;
    case Modifier::kOr:
      return execute<combine<T, std::bit_or<>>>;
    case Modifier::kXor:
      return execute<combine<T, std::bit_xor<>>>;
    case Modifier::kInc:
      return execute<combine<T, Increment>>;
    case Modifier::kDec:
      return execute<combine<T, Decrement>>;
    default:
      return nullptr;
  }
}

}  // namespace

Executor find_async_store(const OperationKey& key) {
  if (key.operation == Operation::kAsyncStore) return execute<nullptr>;
  if (key.operation != Operation::kAsyncReduction) return nullptr;
  if (bytes_of(key.type) == 8)
    return is_signed(key.type) ? reduction<std::int64_t>(key.comparison)
                               : reduction<std::uint64_t>(key.comparison);
  return is_signed(key.type) ? reduction<std::int32_t>(key.comparison)
                             : reduction<std::uint32_t>(key.comparison);
}

}  // namespace tilescope
