#include "emulator/checks/product_result_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/checks/product_read_check.h"
#include "emulator/execution/barriers.h"

namespace tilescope {

// Machine code is not checked: it does not say which group of products it waits for.
ProductResultCheck::ProductResultCheck(CheckedBlock& block) : block_(block) {
  if (!block.launch.program().is_machine_code()) find_carriers();
}

void ProductResultCheck::find_carriers() {
  const Program& program = block_.launch.program();
  if (std::ranges::none_of(program.instructions(), multiplies)) return;
  carrier_.assign(program.register_count(), kNoSum);
  for (std::uint32_t before = kNoSum; before != carriers_;) {
    before = carriers_;
    for (const StaticInstruction& each : program.instructions()) {
      const bool hands_on =
          copies_register(each) &&
          std::ranges::any_of(each.reads, [&](std::uint32_t r) { return carrier_[r] != kNoSum; });
      if (!multiplies(each) && !hands_on) continue;
      for (const std::uint32_t r : each.writes) {
        if (carrier_[r] == kNoSum) carrier_[r] = carriers_++;
      }
    }
  }
}

StepEvents ProductResultCheck::needs(std::uint32_t instruction) const {
  if (carriers_ == 0) return {};
  const StaticInstruction& which = block_.instruction(instruction);
  const auto carries = [&](std::uint32_t r) { return carrier_[r] != kNoSum; };
  return {
      .before =
          std::ranges::any_of(which.reads, carries) || std::ranges::any_of(which.writes, carries),
      .after = commits_products(which),
  };
}

void ProductResultCheck::on_block_begin(std::vector<Warp>& warps) {
  if (carriers_ == 0) return;
  warps_.assign(warps.size(), {});
  for (WarpSums& warp : warps_) warp.of.resize(carriers_);
}

const ProductResultCheck::Sum* ProductResultCheck::open_sum(
    const WarpSums& warp, std::span<const std::uint32_t> registers) const {
  const Sum* latest = nullptr;
  for (const std::uint32_t r : registers) {
    if (carrier_[r] == kNoSum) continue;
    const Sum& sum = warp.of[carrier_[r]];
    if (sum.group > warp.over && (latest == nullptr || sum.group > latest->group)) latest = &sum;
  }
  return latest;
}

void ProductResultCheck::before(const WarpStep& step) {
  const StaticInstruction& which = block_.instruction(step.op.instruction);
  WarpSums& warp = warps_[step.warp.index];
  Sum now;
  if (multiplies(which)) {
    now = {warp.committed + 1, step.op.instruction};
  } else if (const Sum* const open = open_sum(warp, which.reads)) {
    if (copies_register(which)) {
      now = *open;
    } else {
      report(step, *open);
    }
  }
  for (const std::uint32_t r : which.writes) {
    if (carrier_[r] != kNoSum) warp.of[carrier_[r]] = now;
  }
}

void ProductResultCheck::after(const WarpStep& commit) { ++warps_[commit.warp.index].committed; }

// wgmma.wait_group: all but the last so many groups of products are over.
void ProductResultCheck::on_release(std::uint32_t barrier, bool) {
  if (carriers_ == 0 || barrier < Barriers::kWarpgroups) return;
  for (const Warp& warp : block_.block.warps()) {
    for (const Split& split : warp.splits) {
      if (split.state != Split::State::kAtBarrier || split.barrier != barrier) continue;
      const auto newest =
          static_cast<std::uint32_t>(block_.block.code().blocks[split.at].last.immediate);
      WarpSums& sums = warps_[warp.index];
      if (sums.committed > newest) sums.over = std::max(sums.over, sums.committed - newest);
    }
  }
}

void ProductResultCheck::report(const WarpStep& step, const Sum& sum) {
  if (!block_.reports.is_new(FindingKind::kCpAsync, step.op.instruction)) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(step.lanes));
  block_.reports.add(
      FindingKind::kCpAsync, step.op.instruction, step.warp.index * kWarpSize + lane,
      fmt::format("uses a sum of the product in line {} before it is complete: commit it and wait "
                  "for its group (wgmma.commit_group, wgmma.wait_group 0) before this line",
                  block_.notes.of[sum.product].line));
}

}  // namespace tilescope
