#include "emulator/checks/bulk_write_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "emulator/execution/place_name.h"
#include "emulator/lanes_in.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

bool waits_for_stores(const StaticInstruction& instruction) {
  return BulkGroups::waits(instruction) && !instruction.has(Modifier::kRead);
}

}  // namespace

bool BulkWriteCheck::Write::touches(std::uint64_t address, std::uint64_t bytes) const {
  if (address >= end || address + bytes <= lowest) return false;
  return std::ranges::any_of(pieces, [&](const BulkPiece& piece) {
    return address < piece.global + piece.bytes && piece.global < address + bytes;
  });
}

// Machine code does not say which bulk group it waits for.
BulkWriteCheck::BulkWriteCheck(CheckedBlock& block, RaceCheck& races)
    : block_(block),
      races_(races),
      any_store_(!block.launch.program().is_machine_code() &&
                 std::ranges::any_of(block.launch.program().instructions(),
                                     &StaticInstruction::reads_in_bulk)) {}

StepEvents BulkWriteCheck::needs(std::uint32_t instruction) const {
  if (!any_store_) return {};
  const StaticInstruction& which = block_.instruction(instruction);
  return {.after = BulkGroups::commits(which) || waits_for_stores(which),
          .accesses = block_.notes.of[instruction].may_access(MemorySpace::kGlobal)};
}

void BulkWriteCheck::on_block_begin(std::vector<Warp>&) {
  under_way_.clear();
  pages_.clear();
  groups_.start_block();
  early_.clear();
}

void BulkWriteCheck::after(const WarpStep& step) {
  groups_.follow(block_, step,
                 [&](std::uint32_t thread, std::uint32_t newest) { wait(thread, newest); });
}

void BulkWriteCheck::wait(std::uint32_t thread, std::uint32_t newest) {
  std::erase_if(under_way_, [&](const Write& write) {
    if (write.stamp.thread != thread || !groups_.is_over(thread, write.group, newest)) return false;
    AccessStamp now = write.stamp;
    now.tick = block_.order.tick(now.warp());
    for (const BulkPiece& piece : write.pieces)
      races_.renew_write(piece.global, piece.bytes, write.stamp, now);
    return true;
  });
  if (under_way_.empty()) pages_.clear();
}

void BulkWriteCheck::inspect(ObservedAccess& access) {
  const CheckedAccess& checked = *block_.access;
  if (under_way_.empty() || access.access.space != MemorySpace::kGlobal) return;
  for (const unsigned lane : lanes_in(access.lanes)) {
    note_use(checked.lanes.address[lane], checked.lanes.bytes_per_lane, block_.stamp_of(lane),
             checked.writes);
  }
}

bool BulkWriteCheck::is_near(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t last = (address + bytes - 1) / kPageBytes;
  for (std::uint64_t page = address / kPageBytes; page <= last; ++page) {
    if (pages_.contains(page)) return true;
  }
  return false;
}

// What is not even ordered after the store's issue is a race.
void BulkWriteCheck::note_use(std::uint64_t address, std::uint64_t bytes, const AccessStamp& now,
                              bool writes) {
  if (!is_near(address, bytes)) return;
  for (const Write& write : under_way_) {
    if (!write.touches(address, bytes) || !block_.order.ordered(write.stamp, now.thread)) continue;
    early_.try_emplace(now.instruction, EarlyUse{address, now, write.stamp, writes});
    return;
  }
}

void BulkWriteCheck::on_bulk_copy(const WarpPoint& where, unsigned lane, const BulkTransfers::Copy&,
                                  std::span<const BulkPiece> pieces) {
  if (lane >= kWarpSize || pieces.empty() || where.instruction >= AccessStamp::kMostInstructions)
    return;
  const AccessStamp now = block_.stamp_beside(where.instruction, lane);
  for (const BulkPiece& piece : pieces) {
    races_.touch_global({piece.global, piece.bytes, false, false, nullptr}, now);
    note_use(piece.global, piece.bytes, now, false);
  }
}

void BulkWriteCheck::on_bulk_store(const WarpPoint& where, unsigned lane,
                                   std::span<const BulkPiece> pieces, bool reduces) {
  if (where.instruction >= AccessStamp::kMostInstructions) return;
  const AccessStamp now = block_.stamp_beside(where.instruction, lane);
  Write write{now,
              groups_.open(now.thread),
              std::numeric_limits<std::uint64_t>::max(),
              0,
              {pieces.begin(), pieces.end()}};
  for (const BulkPiece& piece : pieces) {
    races_.touch_global(
        {piece.global, piece.bytes, true, reduces, block_.context.shared + piece.shared}, now);
    write.lowest = std::min(write.lowest, piece.global);
    write.end = std::max(write.end, piece.global + piece.bytes);
    const std::uint64_t last = (piece.global + piece.bytes - 1) / kPageBytes;
    for (std::uint64_t page = piece.global / kPageBytes; any_store_ && page <= last; ++page)
      pages_.insert(page);
  }
  if (any_store_) under_way_.push_back(std::move(write));
}

void BulkWriteCheck::on_block_end() {
  for (const auto& [instruction, early] : early_) {
    if (!block_.reports.is_new(FindingKind::kCpAsync, instruction)) continue;
    const bool own = early.use.thread == early.store.thread;
    block_.reports.add(
        FindingKind::kCpAsync, instruction, early.use.thread,
        fmt::format("{} {}, which {}'s bulk store (line {}) may not have written yet: let that "
                    "thread wait until its bulk group is complete (cp.async.bulk.commit_group, "
                    "cp.async.bulk.wait_group 0, without .read){}",
                    early.writes ? "writes" : "reads",
                    name_place(block_.context, MemorySpace::kGlobal, early.address, 4),
                    block_.reports.thread_text(early.store.thread),
                    block_.notes.of[early.store.instruction].line,
                    own ? "" : ", then synchronise the block"),
        &early.store);
  }
}

}  // namespace tilescope
