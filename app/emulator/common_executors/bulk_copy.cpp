#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "emulator/common_executors/families.h"
#include "emulator/execution/async_copies.h"
#include "emulator/execution/barriers.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/observer.h"
#include "emulator/execution/register_cells.h"

// cp.async.bulk (PTX ISA, "Data Movement and Conversion Instructions: Bulk copy").
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

struct Range {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  MemorySpace space = MemorySpace::kShared;
  bool writes = false;
};
// Where it begins, or nullopt after reporting what is wrong with it.
std::optional<LanePlace> whole_range(const MicroOp& op, unsigned lane, const Range& range,
                                     ExecutionContext& context) {
  const auto first = place_lane(op, lane, range.address, range.space, range.writes, context);
  if (!first) return std::nullopt;
  const auto last =
      place_lane(op, lane, range.address + range.bytes - kUnit, range.space, range.writes, context);
  if (!last || last->data != first->data + (range.bytes - kUnit)) return std::nullopt;
  return first;
}

bool good_size(const MicroOp& op, unsigned lane, std::uint64_t bytes, ExecutionContext& context) {
  if (bytes % kUnit == 0) return true;
  report(context, FindingKind::kMisaligned, op, lane, "a bulk copy takes a multiple of 16 bytes");
  return false;
}

// Where a bulk copy of `context` reads: who issues it, and the address.
struct BulkSource {
  unsigned lane = 0;
  std::uint64_t from = 0;
  bool is_global = true;
};

// Tells the observers of the block that owns the destination. A lane of another block is none of
// the owner's.
void tell_observers(const BulkTransfers::Copy& copy, const BulkSource& source,
                    ExecutionContext& owner, const ExecutionContext& context) {
  if (!source.is_global) return;
  const unsigned lane = &owner == &context ? source.lane : source.lane + kWarpSize;
  owner.observers->tell(&BlockObserver::on_bulk_copy, context.point, lane, source.from, copy.to,
                        copy.data.size());
}

// To the same offset in every block of the cluster that the mask names, each told at its own
// mbarrier. False: it names one that is not there.
bool copy_to_all(const BulkTransfers::Copy& copy, const BulkSource& source, std::uint32_t blocks,
                 ExecutionContext& context) {
  if (context.cluster == nullptr) {
    if ((blocks & 1u) != 0) {
      tell_observers(copy, source, context, context);
      context.transfers->copy_later(copy, context);
    }
    return blocks <= 1;
  }
  const std::vector<Cluster::Member>& members = context.cluster->members;
  bool all = (blocks >> members.size()) == 0;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    if (((blocks >> rank) & 1u) == 0) continue;
    all &= !members[rank].ended;
    if (members[rank].ended) continue;
    ExecutionContext& owner = *members[rank].context;
    tell_observers(copy, source, owner, context);
    owner.transfers->copy_later(copy, owner);
  }
  return all;
}

template <MemorySpace From>
void execute_bulk_load(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                       ExecutionContext& context) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const BulkOperands o = operands_of(op, registers, lane, context);
    if (!good_size(op, lane, o.bytes, context)) continue;
    MicroOp object = op;
    object.bytes = 8;
    const auto barrier = place_lane(object, lane, o.barrier, MemorySpace::kShared, true, context);
    if (!barrier || o.bytes == 0) continue;
    const auto from = whole_range(op, lane, {o.from, o.bytes, From, false}, context);
    const auto to = whole_range(op, lane, {o.to, o.bytes, MemorySpace::kShared, true}, context);
    if (!from || !to) continue;
    if (to->owner != barrier->owner) {
      report(context, FindingKind::kBarrier, op, lane,
             "the mbarrier lies in another block's shared memory than what is copied: map both to "
             "one block");
      continue;
    }
    BulkTransfers::Copy copy{barrier->offset(),
                             to->offset(),
                             {from->data, from->data + o.bytes},
                             nullptr,
                             BulkTransfers::issuer_of(op, lane, context)};
    const BulkSource source{lane, o.from, From == MemorySpace::kGlobal};
    context.point.instruction = op.instruction;
    if (op.extra_count > kBlocksRow) {
      const std::uint32_t blocks =
          word_at(registers, further_row(op, context, kBlocksRow), lane) & 0xffffu;
      if (!copy_to_all(copy, source, blocks, context)) {
        report(
            context, FindingKind::kOutOfBounds, op, lane,
            fmt::format("the mask of blocks ({:#x}) names one that its cluster does not have, or "
                        "that has left the kernel",
                        blocks));
      }
    } else {
      tell_observers(copy, source, *to->owner, context);
      to->owner->transfers->copy_later(std::move(copy), *to->owner);
    }
  }
}

// Shared to global memory: done at once, for the hardware may be so fast.
void execute_bulk_store(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                        ExecutionContext& context) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const BulkOperands o = operands_of(op, registers, lane, context);
    if (!good_size(op, lane, o.bytes, context) || o.bytes == 0) continue;
    const auto from =
        whole_range(op, lane, {o.from, o.bytes, MemorySpace::kShared, false}, context);
    const auto to = whole_range(op, lane, {o.to, o.bytes, MemorySpace::kGlobal, true}, context);
    if (from && to) std::memcpy(to->data, from->data, o.bytes);
  }
}

}  // namespace

Executor find_bulk_copy(const OperationKey& key) {
  if (key.operation == Operation::kBulkStore) return execute_bulk_store;
  if (key.operation != Operation::kBulkCopy) return nullptr;
  return key.space == MemorySpace::kGlobal ? execute_bulk_load<MemorySpace::kGlobal>
                                           : execute_bulk_load<MemorySpace::kShared>;
}

}  // namespace tilescope
