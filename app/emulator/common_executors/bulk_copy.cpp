#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "emulator/common_executors/bulk_reduction.h"
#include "emulator/common_executors/bulk_transfer.h"
#include "emulator/common_executors/families.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/observer.h"
#include "emulator/execution/register_cells.h"
#include "emulator/execution/warp.h"

// cp.async.bulk, cp.reduce.async.bulk and st.bulk (PTX ISA, "Data Movement and Conversion
// Instructions").
namespace tilescope {
namespace {

constexpr unsigned kUnit = 16;  // bytes; sizes and addresses are multiples

// Operands: destination, source, size and, where it is announced, the mbarrier; then, where there
// is one, the mask of the blocks of the cluster that all get a copy.
constexpr unsigned kBlocks = 4;
struct BulkOperands {
  std::uint64_t to = 0, from = 0, bytes = 0, barrier = 0;
};
BulkOperands operands_of(const MicroOp& op, const std::byte* registers, unsigned lane,
                         const ExecutionContext& context) {
  const auto operand = [&](unsigned index) {
    return operand_at(op, registers, lane, index, context);
  };
  const bool announced = op.extra_count > 2 * 3;
  return {operand(0), operand(1), operand(2), announced ? operand(3) : 0};
}

bool good_size(const MicroOp& op, unsigned lane, std::uint64_t bytes, ExecutionContext& context) {
  if (bytes % kUnit == 0) return true;
  report(
      context, FindingKind::kMisaligned, op, lane,
      fmt::format("a bulk copy of {} bytes is not possible, only multiples of {}: round the size "
                  "up where both buffers have the room, or copy the rest by loads and stores",
                  bytes, kUnit));
  return false;
}

// Calls copy(lane, operands, from, to) for each lane that has something to copy and may.
template <MemorySpace From, MemorySpace To, class F>
void for_copies(const MicroOp& op, const std::byte* registers, std::uint32_t mask,
                ExecutionContext& context, F copy) {
  for_lanes(mask, [&](unsigned lane) {
    const BulkOperands o = operands_of(op, registers, lane, context);
    if (!good_size(op, lane, o.bytes, context) || o.bytes == 0) return;
    const auto from = place_range(op, lane, {o.from, o.bytes, From, false}, context);
    const auto to = place_range(op, lane, {o.to, o.bytes, To, true}, context);
    if (from && to) copy(lane, o, *from, *to);
  });
}

// A copy from here into a block of the cluster begins to read.
void tell_read(const MicroOp& op, unsigned lane, const LanePlace& from, std::uint64_t bytes,
               ExecutionContext& context) {
  context.point.instruction = op.instruction;
  context.observers->tell(&BlockObserver::on_bulk_read, context.point, lane,
                          BulkRead{from.offset(), bytes, true});
}

template <MemorySpace From>
void execute_bulk_load(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                       ExecutionContext& context) {
  for_copies<From, MemorySpace::kShared>(
      op, registers, mask, context,
      [&](unsigned lane, const BulkOperands& o, const auto& from, const auto& to) {
        if (From == MemorySpace::kShared) tell_read(op, lane, from, o.bytes, context);
        BulkDelivery delivery{o.barrier, to};
        const BulkPiece piece{o.from, to.offset(), o.bytes};
        if (From == MemorySpace::kGlobal) delivery.pieces = {&piece, 1};
        if (op.extra_count > 2 * kBlocks)
          delivery.blocks =
              static_cast<std::uint32_t>(operand_at(op, registers, lane, kBlocks, context));
        deliver(op, lane, delivery, {from.data, from.data + o.bytes}, context);
      });
}

// Shared to global memory: done at once, for the hardware may be so fast.
void execute_bulk_store(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                        ExecutionContext& context) {
  for_copies<MemorySpace::kShared, MemorySpace::kGlobal>(
      op, registers, mask, context,
      [&](unsigned lane, const BulkOperands& o, const auto& from, const auto& to) {
        const BulkPiece piece{o.to, from.offset(), o.bytes};
        store_in_bulk(op, lane, {from.offset(), o.bytes, {&piece, 1}, false}, context);
        std::memcpy(to.data, from.data, o.bytes);
      });
}

// Of shared memory into global memory at once; into a block of the cluster when its mbarrier is
// looked at. MicroOp::immediate: the type, then the reduction.
template <MemorySpace To>
void execute_bulk_reduction(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                            ExecutionContext& context) {
  const auto type = static_cast<DataType>(op.immediate & 0xff);
  const BulkReduction reduce = find_bulk_reduction(type, static_cast<Modifier>(op.immediate >> 8));
  for_copies<MemorySpace::kShared, To>(
      op, registers, mask, context,
      [&](unsigned lane, const BulkOperands& o, const auto& from, const auto& to) {
        if (To == MemorySpace::kShared) {
          tell_read(op, lane, from, o.bytes, context);
          BulkDelivery delivery{o.barrier, to};
          delivery.reduction = reduce;
          delivery.element_bytes = bytes_of(type);
          deliver(op, lane, delivery, {from.data, from.data + o.bytes}, context);
          return;
        }
        const BulkPiece piece{o.to, from.offset(), o.bytes};
        store_in_bulk(op, lane, {from.offset(), o.bytes, {&piece, 1}, true}, context);
        for (std::uint64_t at = 0; at < o.bytes; at += bytes_of(type))
          reduce(to.data + at, from.data + at);
        context.warp->acted = true;
      });
}

// Operands: destination, size and 0. Written as the lanes' stores of 8 bytes, one after another, so
// that observers see each of them.
void execute_bulk_zero(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                       ExecutionContext& context) {
  MicroOp piece = op;
  piece.flags = 0;
  LaneArray address{};
  LaneArray left{};
  for_lanes(mask, [&](unsigned lane) {
    address[lane] = operand_at(op, registers, lane, 0, context);
    const std::uint64_t bytes = operand_at(op, registers, lane, 1, context);
    if (resolve_space(op.space, &address[lane]) != MemorySpace::kShared) {
      report(context, FindingKind::kOutOfBounds, op, lane,
             "st.bulk initialises shared memory, and the address lies in another space");
    } else if (bytes % op.bytes != 0) {
      report(context, FindingKind::kMisaligned, op, lane, "st.bulk needs a multiple of 8 bytes");
    } else {
      left[lane] = bytes;
    }
  });
  for (;;) {
    std::uint32_t storing = 0;
    for_lanes(mask, [&](unsigned lane) { storing |= left[lane] != 0 ? 1u << lane : 0; });
    if (storing == 0) return;
    const PlacedLanes placed =
        place_lanes(piece, storing, MemorySpace::kShared, AccessKind::kStore, address, context);
    mask = placed.mask;  // a lane that cannot go on has been reported
    for_lanes(mask, [&](unsigned lane) {
      std::memset(placed.data[lane], 0, op.bytes);
      address[lane] += op.bytes;
      left[lane] -= op.bytes;
    });
  }
}

}  // namespace

Executor find_bulk_copy(const OperationKey& key) {
  if (key.operation == Operation::kBulkZero) return execute_bulk_zero;
  if (key.operation == Operation::kBulkStore) return execute_bulk_store;
  if (key.operation == Operation::kBulkReduction) {
    if (find_bulk_reduction(key.type, key.comparison) == nullptr) return nullptr;
    return key.space == MemorySpace::kGlobal ? execute_bulk_reduction<MemorySpace::kGlobal>
                                             : execute_bulk_reduction<MemorySpace::kShared>;
  }
  if (key.operation != Operation::kBulkCopy) return nullptr;
  return key.space == MemorySpace::kGlobal ? execute_bulk_load<MemorySpace::kGlobal>
                                           : execute_bulk_load<MemorySpace::kShared>;
}

}  // namespace tilescope
