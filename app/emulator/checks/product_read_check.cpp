#include "emulator/checks/product_read_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/execution/barriers.h"
#include "emulator/execution/place_name.h"
#include "emulator/lanes_in.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kOperandPiece = 16;  // bytes: a row of a core matrix

}  // namespace

bool multiplies(const StaticInstruction& instruction) {
  return instruction.operation == Operation::kWarpgroupProduct;
}
bool copies_register(const StaticInstruction& instruction) {
  return instruction.is(Mnemonic::kMov);
}
bool commits_products(const StaticInstruction& instruction) {
  return instruction.is(Mnemonic::kWgmma) && instruction.has(Modifier::kCommitGroup);
}

// Machine code is not checked, as for the proxies.
ProductReadCheck::ProductReadCheck(CheckedBlock& block)
    : block_(block),
      any_product_(!block.launch.program().is_machine_code() &&
                   std::ranges::any_of(block.launch.program().instructions(), multiplies)) {}

StepEvents ProductReadCheck::needs(std::uint32_t instruction) const {
  if (!any_product_) return {};
  const StaticInstruction& which = block_.instruction(instruction);
  const bool stores = which.access == AccessKind::kStore || which.access == AccessKind::kStmatrix ||
                      which.access == AccessKind::kAtomic;
  return {.after = commits_products(which),
          .accesses = multiplies(which) ||
                      (stores && block_.notes.of[instruction].may_access(MemorySpace::kShared))};
}

void ProductReadCheck::on_block_begin(std::vector<Warp>& warps) {
  if (!any_product_) return;
  reads_.assign(block_.context.shared_bytes / kOperandPiece + 1, {});
  committed_.assign(warps.size(), 0);
  over_.assign(warps.size(), {});
}

void ProductReadCheck::after(const WarpStep& commit) { ++committed_[commit.warp.index]; }

void ProductReadCheck::inspect(ObservedAccess& access) {
  const CheckedAccess& checked = *block_.access;
  if (checked.lanes.space != MemorySpace::kShared) return;
  const bool reads = multiplies(block_.instruction(checked.instruction));
  for (const unsigned lane : lanes_in(access.lanes)) {
    const std::uint64_t offset = checked.lanes.address[lane];
    const AccessStamp now = block_.stamp_of(lane);
    if (!reads) {
      check_write(offset, checked.lanes.bytes_per_lane, now);
      continue;
    }
    const std::uint32_t group = now.warp() / Barriers::kWarpsOfGroup;
    const std::uint64_t piece = offset / kOperandPiece;
    if (group < kMostGroups && piece < reads_.size())
      reads_[piece][group] = {now, committed_[now.warp()]};
  }
}

// A lane from kWarpSize on is another block's, whose order to this one's threads is not known.
void ProductReadCheck::on_bulk_copy(const WarpPoint& where, unsigned lane,
                                    const BulkTransfers::Copy& copy, std::span<const BulkPiece>) {
  if (!any_product_ || lane >= kWarpSize || where.instruction >= AccessStamp::kMostInstructions)
    return;
  check_write(copy.to, copy.data.size(), block_.stamp_beside(where.instruction, lane));
}

// wgmma.wait_group: all but the last so many groups of products are over.
void ProductReadCheck::on_release(std::uint32_t barrier, bool) {
  if (!any_product_ || barrier < Barriers::kWarpgroups) return;
  for (const Warp& warp : block_.block.warps()) {
    for (const Split& split : warp.splits) {
      if (split.state != Split::State::kAtBarrier || split.barrier != barrier) continue;
      const auto newest =
          static_cast<std::uint32_t>(block_.block.code().blocks[split.at].last.immediate);
      const std::uint32_t committed = committed_[warp.index];
      std::vector<std::uint32_t>& over = over_[warp.index];
      if (committed > newest && over.size() < committed - newest)
        over.resize(committed - newest, block_.order.tick(warp.index));
    }
  }
}

bool ProductReadCheck::is_over(const Read& read, std::uint32_t thread) const {
  const std::uint32_t first = read.stamp.warp() / Barriers::kWarpsOfGroup * Barriers::kWarpsOfGroup;
  const std::uint32_t end = std::min<std::uint32_t>(first + Barriers::kWarpsOfGroup,
                                                    static_cast<std::uint32_t>(over_.size()));
  for (std::uint32_t warp = first; warp < end; ++warp) {
    if (over_[warp].size() <= read.product) continue;
    if (thread / kWarpSize == warp) return true;
    AccessStamp waited;
    waited.tick = over_[warp][read.product];
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      waited.thread = (warp * kWarpSize + lane) & 0x3ffu;
      if (block_.order.ordered(waited, thread)) return true;
    }
  }
  return false;
}

void ProductReadCheck::check_write(std::uint64_t offset, std::uint64_t bytes,
                                   const AccessStamp& now) {
  for (std::uint64_t piece = offset / kOperandPiece; piece * kOperandPiece < offset + bytes;
       ++piece) {
    if (piece >= reads_.size()) return;
    for (Read& read : reads_[piece]) {
      if (read.stamp.tick == 0) continue;
      const Read found = read;
      read = {};
      if (is_over(found, now.thread)) continue;
      early_.try_emplace(now.instruction, EarlyWrite{piece * kOperandPiece, now, found.stamp});
      return;
    }
  }
}

// Accesses without any order are races, which are reported before.
void ProductReadCheck::on_block_end() {
  for (const auto& [instruction, early] : early_) {
    if (!block_.reports.is_new(FindingKind::kSharedRace, instruction)) continue;
    block_.reports.add(
        FindingKind::kSharedRace, instruction, early.write.thread,
        fmt::format("writes {} while the products of {}'s warp group (line {}) may still read it: "
                    "commit them and wait for their group (wgmma.commit_group, wgmma.wait_group 0) "
                    "before this write, or before its thread is told that it may write",
                    name_place(block_.context, MemorySpace::kShared, early.offset, 4),
                    block_.reports.thread_text(early.read.thread),
                    block_.notes.of[early.read.instruction].line),
        &early.read);
  }
  early_.clear();
}

}  // namespace tilescope
