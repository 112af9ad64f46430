#include "emulator/common_executors/bulk_transfers.h"

#include <bit>
#include <cstring>
#include <utility>

#include "emulator/block/async_copies.h"
#include "emulator/block/lane_access.h"
#include "emulator/block/register_cells.h"
#include "emulator/checks/written_bytes.h"
#include "emulator/common_executors/families.h"
#include "emulator/common_executors/mbarrier.h"

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
// bit i: address i (destination, source, mbarrier) has 64 bits.
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

// All of a range, or nullptr after reporting.
std::byte* whole_range(const MicroOp& op, unsigned lane, std::uint64_t address, std::uint64_t bytes,
                       MemorySpace space, bool writes, ExecutionContext& context) {
  const auto first = place_lane(op, lane, address, space, writes, context);
  if (!first) return nullptr;
  const auto last = place_lane(op, lane, address + bytes - kUnit, space, writes, context);
  if (!last || last->data != first->data + (bytes - kUnit)) return nullptr;
  return first->data;
}

bool good_size(const MicroOp& op, unsigned lane, std::uint64_t bytes, ExecutionContext& context) {
  if (bytes % kUnit == 0) return true;
  report(context, FindingKind::kMisaligned, op, lane, "a bulk copy takes a multiple of 16 bytes");
  return false;
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
    const std::byte* from = whole_range(op, lane, o.from, o.bytes, From, false, context);
    std::byte* to = whole_range(op, lane, o.to, o.bytes, MemorySpace::kShared, true, context);
    if (from == nullptr || to == nullptr) continue;
    context.transfers->copy_later(static_cast<std::uint64_t>(barrier->data - context.shared),
                                  static_cast<std::uint64_t>(to - context.shared),
                                  {from, from + o.bytes}, context);
  }
}

// Shared to global memory: done at once, for the hardware may be so fast.
void execute_bulk_store(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                        ExecutionContext& context) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const BulkOperands o = operands_of(op, registers, lane, context);
    if (!good_size(op, lane, o.bytes, context) || o.bytes == 0) continue;
    const std::byte* from =
        whole_range(op, lane, o.from, o.bytes, MemorySpace::kShared, false, context);
    std::byte* to = whole_range(op, lane, o.to, o.bytes, MemorySpace::kGlobal, true, context);
    if (from != nullptr && to != nullptr) std::memcpy(to, from, o.bytes);
  }
}

}  // namespace

void BulkTransfers::copy_later(std::uint64_t barrier, std::uint64_t to, std::vector<std::byte> data,
                               ExecutionContext& context) {
  for (std::uint64_t at = 0; at < data.size(); at += kUnit) {
    context.pending->add(to + at, kUnit);
    if (context.shared_written != nullptr) context.shared_written->write(to + at, kUnit);
  }
  context.pending->copies_changed(1);
  Transfer transfer;
  transfer.barrier = barrier;
  transfer.to = to;
  transfer.data = std::move(data);
  under_way_.push_back(std::move(transfer));
}

void BulkTransfers::arrive_later(std::uint64_t barrier, AsyncCopies& copies, unsigned lane) {
  Transfer transfer;
  transfer.barrier = barrier;
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
    if (transfer.barrier != barrier) return false;
    if (transfer.copies != nullptr) {
      transfer.copies->wait_until(1u << transfer.lane, transfer.until, context.shared);
      object.arrive(1, false);
      return true;
    }
    std::memcpy(context.shared + transfer.to, transfer.data.data(), transfer.data.size());
    for (std::uint64_t at = 0; at < transfer.data.size(); at += kUnit)
      context.pending->remove(transfer.to + at, kUnit);
    context.pending->copies_changed(-1);
    object.complete(static_cast<std::uint32_t>(transfer.data.size()));
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
