#include <bit>
#include <cstring>

#include "emulator/async_copies.h"
#include "emulator/common_families.h"
#include "emulator/executors/lanes.h"
#include "emulator/lane_access.h"

// cp.async and its groups, clocks, and what moves between a call's two sides.
namespace tilescope {
namespace {

using portable::Row32;
using portable::Row64;
using portable::row_at;

void execute_nothing(const MicroOp&, std::byte*, std::uint32_t, ExecutionContext&) {}

void execute_clock(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                   ExecutionContext& context) {
  ++context.clock;  // two reads in a row differ
  const std::uint32_t value = op.flags != 0 ? static_cast<std::uint32_t>(context.clock >> 32)
                                            : static_cast<std::uint32_t>(context.clock);
  Row32* d = row_at<std::uint32_t>(registers, op.row[0]);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) d[std::countr_zero(left)] = value;
}
void execute_clock_64(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                      ExecutionContext& context) {
  ++context.clock;
  Row64* d = row_at<std::uint64_t>(registers, op.row[0]);
  for (std::uint32_t left = mask; left != 0; left &= left - 1)
    d[std::countr_zero(left)] = context.clock;
}

// immediate: source << 40 | target << 16 | bytes, offsets into the lane's local memory.
void execute_copy_parameter(const MicroOp& op, std::byte*, std::uint32_t mask,
                            ExecutionContext& context) {
  const auto packed = static_cast<std::uint64_t>(op.immediate);
  const std::uint64_t source = packed >> 40;
  const std::uint64_t target = (packed >> 16) & 0xffffff;
  const std::uint64_t bytes = packed & 0xffff;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    std::byte* own =
        context.local + static_cast<std::uint64_t>(std::countr_zero(left)) * context.local_bytes;
    std::memmove(own + target, own + source, bytes);
  }
}

template <AddressForm Form>
void load_two_addresses(const MicroOp& op, const std::byte* registers, LaneArray& shared,
                        LaneArray& global) {
  const auto both = static_cast<std::uint64_t>(op.immediate);
  const auto to = static_cast<std::uint64_t>(static_cast<std::int64_t>(both) >> 32);
  const auto from = static_cast<std::uint64_t>(
      static_cast<std::int64_t>(static_cast<std::int32_t>(both & 0xffffffffu)));
  for (std::size_t l = 0; l < kWarpSize; ++l) {
    std::uint64_t address;
    std::memcpy(&address, registers + op.row[1] + 8 * l, sizeof address);
    global[l] = address + from;
    if constexpr (Form == AddressForm::kWide) {
      std::memcpy(&address, registers + op.row[0] + 8 * l, sizeof address);
      shared[l] = address + to;
    } else {
      std::uint32_t narrow;
      std::memcpy(&narrow, registers + op.row[0] + 4 * l, sizeof narrow);
      shared[l] = narrow + static_cast<std::uint32_t>(to);
    }
  }
}

// How many bytes each lane takes from global memory; the rest of its copy is zeros.
void find_sizes(const MicroOp& op, const std::byte* registers,
                std::array<std::uint32_t, kWarpSize>& sizes) {
  sizes.fill(op.bytes);
  if ((op.flags & kSourceSize) != 0) {
    for (std::size_t l = 0; l < kWarpSize; ++l) {
      std::uint32_t size;
      std::memcpy(&size, registers + op.row[2] + 4 * l, sizeof size);
      sizes[l] = size < op.bytes ? size : op.bytes;
    }
  } else if ((op.flags & kIgnoreSource) != 0) {
    std::uint32_t ignore;
    std::memcpy(&ignore, registers + op.row[2], sizeof ignore);
    if ((op.flags & kNegated) != 0) ignore = ~ignore;
    for (std::size_t l = 0; l < kWarpSize; ++l) {
      if (((ignore >> l) & 1u) != 0) sizes[l] = 0;
    }
  }
}

template <AddressForm Form>
void execute_async_copy(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                        ExecutionContext& context) {
  alignas(64) LaneArray shared;
  alignas(64) LaneArray global;
  load_two_addresses<Form>(op, registers, shared, global);
  std::array<std::uint32_t, kWarpSize> sizes;
  find_sizes(op, registers, sizes);
  std::uint32_t reading = 0;
  for (std::size_t l = 0; l < kWarpSize; ++l) reading |= sizes[l] != 0 ? 1u << l : 0u;
  const PlacedLanes from = place_lanes(op, mask & reading, MemorySpace::kGlobal,
                                       AccessKind::kAsyncCopy, global, context);
  const PlacedLanes to =
      place_lanes(op, mask, MemorySpace::kShared, AccessKind::kAsyncCopy, shared, context);
  if (to.mask == 0) return;
  AsyncCopies::Copy& copy = context.async->issue(to.mask, op.bytes);
  for (std::uint32_t left = to.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    copy.offset[lane] = static_cast<std::uint32_t>(shared[lane]);
    if (((from.mask >> lane) & 1u) != 0)
      std::memcpy(copy.data[lane].data(), from.data[lane], sizes[lane]);
    context.pending->mark(shared[lane], op.bytes, 1);
  }
}

void execute_commit(const MicroOp&, std::byte*, std::uint32_t mask, ExecutionContext& context) {
  if (context.async != nullptr) context.async->commit(mask);
}
void execute_wait_group(const MicroOp& op, std::byte*, std::uint32_t mask,
                        ExecutionContext& context) {
  if (context.async != nullptr)
    context.async->wait(mask, static_cast<std::uint32_t>(op.immediate), context.shared);
}
void execute_wait_all(const MicroOp&, std::byte*, std::uint32_t mask, ExecutionContext& context) {
  if (context.async != nullptr) context.async->wait_all(mask, context.shared);
}

}  // namespace

Executor find_synchronisation(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kNothing:
      return execute_nothing;
    case Operation::kClock:
      return bytes_of(key.type) == 8 ? execute_clock_64 : execute_clock;
    case Operation::kCopyParameter:
      return execute_copy_parameter;
    case Operation::kAsyncCopy:
      return key.address == AddressForm::kWide ? execute_async_copy<AddressForm::kWide>
                                               : execute_async_copy<AddressForm::kNarrow>;
    case Operation::kCommitGroup:
      return execute_commit;
    case Operation::kWaitGroup:
      return execute_wait_group;
    case Operation::kWaitAll:
      return execute_wait_all;
    default:
      return nullptr;
  }
}

}  // namespace tilescope
