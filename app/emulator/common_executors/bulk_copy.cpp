#include <cstring>
#include <optional>

#include "emulator/common_executors/bulk_reduction.h"
#include "emulator/common_executors/bulk_transfer.h"
#include "emulator/common_executors/families.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/register_cells.h"
#include "emulator/execution/warp.h"

// cp.async.bulk and cp.reduce.async.bulk (PTX ISA, "Data Movement and Conversion Instructions: Bulk
// copy").
namespace tilescope {
namespace {

constexpr unsigned kUnit = 16;  // bytes; sizes and addresses are multiples

std::uint64_t value_at(const std::byte* registers, std::uint32_t row, unsigned lane, bool wide) {
  if (!wide) return word_at(registers, row, lane);
  std::uint64_t value = 0;
  std::memcpy(&value, registers + row + std::size_t{lane} * 8, sizeof value);
  return value;
}

// Further rows: destination, source, size, mbarrier, and the displacements of the addresses. flags
// bit i: address i (destination, source, mbarrier) has 64 bits. One more row, where there is one:
// the blocks of the cluster that all get a copy.
constexpr unsigned kBlocksRow = 7;
struct BulkOperands {
  std::uint64_t to = 0, from = 0, bytes = 0, barrier = 0;
};
BulkOperands operands_of(const MicroOp& op, const std::byte* registers, unsigned lane,
                         const ExecutionContext& context) {
  const auto address = [&](unsigned index, unsigned displacement, unsigned bit) {
    return value_at(registers, further_row(op, context, index), lane,
                    ((op.flags >> bit) & 1u) != 0) +
           value_at(registers, further_row(op, context, displacement), lane, true);
  };
  return {address(0, 4, 0), address(1, 5, 1),
          value_at(registers, further_row(op, context, 2), lane, false), address(3, 6, 2)};
}

bool good_size(const MicroOp& op, unsigned lane, std::uint64_t bytes, ExecutionContext& context) {
  if (bytes % kUnit == 0) return true;
  report(context, FindingKind::kMisaligned, op, lane, "a bulk copy takes a multiple of 16 bytes");
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

template <MemorySpace From>
void execute_bulk_load(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                       ExecutionContext& context) {
  for_copies<From, MemorySpace::kShared>(
      op, registers, mask, context,
      [&](unsigned lane, const BulkOperands& o, const auto& from, const auto& to) {
        BulkDelivery delivery{o.barrier, to};
        const BulkPiece piece{o.from, to.offset(), o.bytes};
        if (From == MemorySpace::kGlobal) delivery.pieces = {&piece, 1};
        if (op.extra_count > kBlocksRow)
          delivery.blocks = word_at(registers, further_row(op, context, kBlocksRow), lane);
        deliver(op, lane, delivery, {from.data, from.data + o.bytes}, context);
      });
}

// Shared to global memory: done at once, for the hardware may be so fast.
void execute_bulk_store(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                        ExecutionContext& context) {
  for_copies<MemorySpace::kShared, MemorySpace::kGlobal>(
      op, registers, mask, context,
      [&](unsigned lane, const BulkOperands& o, const auto& from, const auto& to) {
        read_in_bulk(op, lane, from.offset(), o.bytes, context);
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
          BulkDelivery delivery{o.barrier, to};
          delivery.reduction = reduce;
          delivery.element_bytes = bytes_of(type);
          deliver(op, lane, delivery, {from.data, from.data + o.bytes}, context);
          return;
        }
        read_in_bulk(op, lane, from.offset(), o.bytes, context);
        for (std::uint64_t at = 0; at < o.bytes; at += bytes_of(type))
          reduce(to.data + at, from.data + at);
        context.warp->acted = true;
      });
}

}  // namespace

Executor find_bulk_copy(const OperationKey& key) {
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
