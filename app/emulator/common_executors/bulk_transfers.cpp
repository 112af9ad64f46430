#include "emulator/common_executors/bulk_transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "emulator/block/async_copies.h"
#include "emulator/block/cluster.h"
#include "emulator/block/lane_access.h"
#include "emulator/block/register_cells.h"
#include "emulator/checks/written_bytes.h"
#include "emulator/common_executors/families.h"
#include "emulator/common_executors/mbarrier.h"

// cp.async.bulk (PTX ISA, "Data Movement and Conversion Instructions: Bulk copy").
namespace tilescope {
namespace {

constexpr std::size_t kMostIssues = 4096;  // remembered for the checks
constexpr unsigned kUnit = 16;             // bytes; sizes and addresses are multiples

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

unsigned unit_of(const BulkTransfers::Copy& copy) {
  return static_cast<unsigned>(std::min<std::size_t>(copy.data.size(), kUnit));
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

// Tells who watches the owner of the destination. A lane of another block is none of the owner's.
void tell_watcher(const BulkTransfers::Copy& copy, const BulkSource& source,
                  ExecutionContext& owner, const ExecutionContext& context) {
  if (!source.is_global || owner.operand_watcher == nullptr) return;
  const unsigned lane = &owner == &context ? source.lane : source.lane + kWarpSize;
  owner.operand_watcher->on_bulk_copy(context.point, lane, source.from, copy.to, copy.data.size());
}

// To the same offset in every block of the cluster that the mask names, each told at its own
// mbarrier. False: it names one that is not there.
bool copy_to_all(const BulkTransfers::Copy& copy, const BulkSource& source, std::uint32_t blocks,
                 ExecutionContext& context) {
  if (context.cluster == nullptr) {
    if ((blocks & 1u) != 0) {
      tell_watcher(copy, source, context, context);
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
    tell_watcher(copy, source, owner, context);
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
      tell_watcher(copy, source, *to->owner, context);
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

Finding::Other BulkTransfers::issuer_of(const MicroOp& op, unsigned lane,
                                        const ExecutionContext& context) {
  return {op.instruction, context.block,
          unflatten(context.point.warp * kWarpSize + lane, context.block_extent)};
}

const Finding::Other* BulkTransfers::filler_of(std::uint64_t offset, std::uint64_t bytes) const {
  for (const Transfer& transfer : under_way_) {
    const Copy& copy = transfer.copy;
    if (copy.to < offset + bytes && offset < copy.to + copy.data.size()) return &copy.issuer;
  }
  return nullptr;
}

void BulkTransfers::copy_later(Copy copy, ExecutionContext& context) {
  const unsigned unit = unit_of(copy);
  for (std::uint64_t at = 0; at < copy.data.size(); at += unit) {
    context.pending->add(copy.to + at, unit);
    if (context.shared_written != nullptr) context.shared_written->write(copy.to + at, unit);
  }
  context.pending->copies_changed(1);
  if (context.shared_written != nullptr && issues_.size() < kMostIssues)
    issues_.push_back({copy.to, copy.data.size(), copy.issuer});
  Transfer transfer;
  transfer.copy = std::move(copy);
  under_way_.push_back(std::move(transfer));
}

void BulkTransfers::arrive_later(std::uint64_t barrier, AsyncCopies& copies, unsigned lane) {
  Transfer transfer;
  transfer.copy.barrier = barrier;
  transfer.copies = &copies;
  transfer.lane = lane;
  transfer.until = copies.issued();
  copies.announce(lane);
  under_way_.push_back(std::move(transfer));
}

void BulkTransfers::land(std::uint64_t barrier, ExecutionContext& context) {
  if (under_way_.empty()) return;
  std::uint64_t word = 0;
  std::memcpy(&word, context.shared + barrier, sizeof word);
  Mbarrier object = Mbarrier::unpack(word);
  std::erase_if(under_way_, [&](const Transfer& transfer) {
    const Copy& copy = transfer.copy;
    if (copy.barrier != barrier) return false;
    if (transfer.copies != nullptr) {
      transfer.copies->wait_until(1u << transfer.lane, transfer.until, context.shared);
      object.arrive(1, false);
      return true;
    }
    if (copy.combine != nullptr) {
      copy.combine(context.shared + copy.to, copy.data.data());
    } else {
      std::memcpy(context.shared + copy.to, copy.data.data(), copy.data.size());
    }
    const unsigned unit = unit_of(copy);
    for (std::uint64_t at = 0; at < copy.data.size(); at += unit)
      context.pending->remove(copy.to + at, unit);
    context.pending->copies_changed(-1);
    object.complete(static_cast<std::uint32_t>(copy.data.size()));
    return true;
  });
  word = object.pack();
  std::memcpy(context.shared + barrier, &word, sizeof word);
}

Executor find_bulk_copy(const OperationKey& key) {
  if (key.operation == Operation::kBulkStore) return execute_bulk_store;
  if (key.operation != Operation::kBulkCopy) return nullptr;
  return key.space == MemorySpace::kGlobal ? execute_bulk_load<MemorySpace::kGlobal>
                                           : execute_bulk_load<MemorySpace::kShared>;
}

}  // namespace tilescope
