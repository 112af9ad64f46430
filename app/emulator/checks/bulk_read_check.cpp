#include "emulator/checks/bulk_read_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/execution/place_name.h"
#include "emulator/lanes_in.h"

namespace tilescope {
// Machine code is not checked: it does not say which bulk group it waits for.
StepEvents BulkReadCheck::needs(std::uint32_t instruction) const {
  const Program& program = block_.launch.program();
  if (program.is_machine_code() || !block_.block.code().uses_async_copies) return {};
  if (std::ranges::none_of(program.instructions(), &StaticInstruction::reads_in_bulk)) return {};
  const StaticInstruction& which = program.instructions()[instruction];
  return {.after = BulkGroups::commits(which) || BulkGroups::waits(which),
          .accesses = block_.notes.of[instruction].may_access(MemorySpace::kShared)};
}

void BulkReadCheck::on_block_begin(std::vector<Warp>&) {
  under_way_.clear();
  groups_.start_block();
}

void BulkReadCheck::after(const WarpStep& step) {
  groups_.follow(block_, step,
                 [&](std::uint32_t thread, std::uint32_t newest) { wait(thread, newest); });
}

void BulkReadCheck::wait(std::uint32_t thread, std::uint32_t newest) {
  std::erase_if(under_way_, [&](Read& read) {
    if (read.stamp.thread != thread || !groups_.is_over(thread, read.group, newest)) return false;
    read.stamp.tick = block_.order.tick(read.stamp.warp());
    remember(read);
    return true;
  });
}

// As one of the thread's own reads.
void BulkReadCheck::remember(const Read& read) {
  const std::uint32_t size = block_.notes.shared_cell_bytes;
  for (std::uint64_t at = read.offset; at < read.offset + read.bytes; at += size)
    races_.remember_shared_read(at, read.stamp);
}

void BulkReadCheck::inspect(ObservedAccess& access) {
  const CheckedAccess& checked = *block_.access;
  if (under_way_.empty() || access.access.space != MemorySpace::kShared || !checked.writes) return;
  const unsigned bytes = checked.lanes.bytes_per_lane;
  for (const unsigned lane : lanes_in(access.lanes)) {
    report_early(checked.lanes.address[lane], bytes, block_.stamp_of(lane));
  }
}

void BulkReadCheck::on_bulk_read(const WarpPoint& where, unsigned lane, const BulkRead& begun) {
  if (where.instruction >= AccessStamp::kMostInstructions ||
      block_.launch.program().is_machine_code())
    return;
  Read read{block_.stamp_beside(where.instruction, lane), begun.offset, begun.bytes, 0};
  read.group = groups_.open(read.stamp.thread);
  const std::uint32_t size = block_.notes.shared_cell_bytes;
  for (std::uint64_t at = begun.offset; at < begun.offset + begun.bytes; at += size) {
    const AccessStamp& past = races_.shared_cell(at).write;
    if (!conflicts(past, read.stamp, block_.order)) continue;
    races_.report_race({MemorySpace::kShared, at, size, past, read.stamp, true, false});
    break;
  }
  remember(read);
  if (!begun.to_cluster) under_way_.push_back(read);
}

// The next box may not be loaded over one that is still being stored.
void BulkReadCheck::on_bulk_copy(const WarpPoint& where, unsigned lane,
                                 const BulkTransfers::Copy& copy, std::span<const BulkPiece>) {
  if (under_way_.empty() || lane >= kWarpSize ||
      where.instruction >= AccessStamp::kMostInstructions)
    return;
  report_early(copy.to, copy.data.size(), block_.stamp_beside(where.instruction, lane));
}

void BulkReadCheck::report_early(std::uint64_t offset, std::uint64_t bytes,
                                 const AccessStamp& now) {
  const auto found = std::ranges::find_if(
      under_way_, [&](const Read& read) { return read.touches(offset, bytes); });
  if (found == under_way_.end()) return;
  const Read read = *found;
  under_way_.erase(found);  // once for each read
  if (!block_.reports.is_new(FindingKind::kCpAsync, now.instruction)) return;
  block_.reports.add(
      FindingKind::kCpAsync, now.instruction, now.thread,
      fmt::format(
          "writes {} while {}'s bulk store (line {}) may still read it: let that thread wait for "
          "its bulk group (cp.async.bulk.commit_group, cp.async.bulk.wait_group.read 0){}",
          name_place(block_.context, MemorySpace::kShared, std::max(offset, read.offset), 4),
          block_.reports.thread_text(read.stamp.thread),
          block_.notes.of[read.stamp.instruction].line,
          read.stamp.thread == now.thread ? "" : ", then synchronise the block"),
      &read.stamp);
}

void BulkReadCheck::on_exit(const Warp& warp, std::uint32_t lanes) {
  for (const Read& read : under_way_) {
    if (read.stamp.warp() != warp.index || ((lanes >> read.stamp.lane()) & 1u) == 0) continue;
    if (!block_.reports.is_new(FindingKind::kCpAsync, read.stamp.instruction)) continue;
    block_.reports.add(FindingKind::kCpAsync, read.stamp.instruction, read.stamp.thread,
                       "the thread leaves the kernel while this bulk store may still read shared "
                       "memory: commit its bulk group and wait for it "
                       "(cp.async.bulk.commit_group, cp.async.bulk.wait_group.read 0)");
  }
}

}  // namespace tilescope
