#include "emulator/checks/warp_sync_check.h"

#include <fmt/format.h>

#include <bit>

namespace tilescope {
namespace {

std::uint32_t first_thread(std::uint32_t warp, std::uint32_t lanes) {
  return warp * kWarpSize + static_cast<std::uint32_t>(std::countr_zero(lanes));
}

}  // namespace

StepEvents WarpSyncCheck::needs(std::uint32_t instruction) const {
  return {.before = block_.instruction(instruction).warp_use != WarpUse::kNone};
}

void WarpSyncCheck::on_block_begin(std::vector<Warp>&) { open_.clear(); }

void WarpSyncCheck::before(const WarpStep& step) {
  if (block_.instruction(step.op.instruction).warp_use == WarpUse::kNamed) {
    check_members(step);
  } else if (step.lanes != step.warp.lanes) {
    report_part_of_warp(step);
  }
}

void WarpSyncCheck::check_members(const WarpStep& step) {
  const Warp& warp = step.warp;
  const MemberMasks& masks = block_.masks;
  for (std::uint32_t left = step.lanes; left != 0;) {
    const std::uint32_t members = masks[static_cast<std::size_t>(std::countr_zero(left))];
    const std::uint32_t group = same_mask(masks, left);
    left &= ~group;
    if ((group & ~members) != 0) report_unnamed(step, group & ~members, members);
    std::uint32_t missing = members & warp.alive & ~step.lanes;
    if (missing != 0) missing &= ~warp.leaving_lanes(block_.context.code->blocks);
    come(step, group, missing);
  }
}

void WarpSyncCheck::come(const WarpStep& step, std::uint32_t lanes, std::uint32_t missing) {
  const std::uint32_t instruction = step.op.instruction;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    Missing& open = open_[i];
    if (open.warp != step.warp.index || open.instruction != instruction) continue;
    if ((open.missing & lanes) != lanes) continue;
    open.missing &= ~lanes;
    open.came |= lanes;
    if (open.missing == 0) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
  if (missing != 0 && open_.size() < kMost)
    open_.push_back({step.warp.index, instruction, lanes, missing});
}

// PTX ISA, "shfl.sync" and its like: undefined where the member mask leaves out who executes it.
void WarpSyncCheck::report_unnamed(const WarpStep& step, std::uint32_t lanes,
                                   std::uint32_t members) {
  const std::uint32_t instruction = step.op.instruction;
  if (!block_.reports.is_new(FindingKind::kBarrier, instruction)) return;
  const std::uint32_t thread = first_thread(step.warp.index, lanes);
  block_.reports.add(
      FindingKind::kBarrier, instruction, thread,
      fmt::format(
          "{} executes this with a mask ({:#x}) that does not include it: include every lane "
          "that executes this",
          block_.reports.thread_text(thread), members));
}

// PTX ISA, "mma", "ldmatrix", "wmma.load" ...: undefined unless all threads of the warp execute it.
void WarpSyncCheck::report_part_of_warp(const WarpStep& step) {
  const std::uint32_t instruction = step.op.instruction;
  const std::uint32_t absent = step.warp.lanes & ~step.lanes;
  if (absent == 0 || !block_.reports.is_new(FindingKind::kBarrier, instruction)) return;
  const std::uint32_t warp = step.warp.index;
  block_.reports.add(
      FindingKind::kBarrier, instruction, first_thread(warp, step.lanes),
      fmt::format("{} of the warp's {} threads execute this, which the whole warp must; {} does "
                  "not: let every lane of the warp reach it together",
                  std::popcount(step.lanes), std::popcount(step.warp.lanes),
                  block_.reports.thread_text(first_thread(warp, absent))));
}

void WarpSyncCheck::on_block_end() {
  for (const Missing& open : open_) {
    if (!block_.reports.is_new(FindingKind::kBarrier, open.instruction)) continue;
    block_.reports.add(FindingKind::kBarrier, open.instruction, first_thread(open.warp, open.came),
                       "the mask names lanes that do not execute this instruction, among them " +
                           block_.reports.thread_text(first_thread(open.warp, open.missing)) +
                           ": let every named lane reach it, or name only those that do");
  }
}

}  // namespace tilescope
