#include "emulator/checks/product_fence_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/checks/product_read_check.h"

namespace tilescope {
namespace {

bool is_fence(const StaticInstruction& instruction) {
  return instruction.is(Mnemonic::kWgmma) && instruction.has(Modifier::kFenceWord);
}

// f(register) for those that hold the sums, and A where it is not in shared memory.
template <class F>
void for_matrix_registers(const StaticInstruction& product, F f) {
  for (const PtxOperand& operand : product.operands.first(2)) {
    if (operand.kind == OperandKind::kVector) product.for_registers(operand, f);
  }
}

}  // namespace

// Machine code is not checked: the compiler has put its own instructions there.
ProductFenceCheck::ProductFenceCheck(CheckedBlock& block) : block_(block) {
  if (!block.launch.program().is_machine_code()) find_registers();
}

void ProductFenceCheck::find_registers() {
  const Program& program = block_.launch.program();
  if (std::ranges::none_of(program.instructions(), multiplies)) return;
  followed_.assign(program.register_count(), kNotFollowed);
  const auto follow = [&](std::uint32_t r) {
    if (followed_[r] == kNotFollowed) followed_[r] = follows_++;
  };
  for (const StaticInstruction& each : program.instructions()) {
    if (multiplies(each)) for_matrix_registers(each, follow);
  }
  const auto is_followed = [&](std::uint32_t r) { return followed_[r] != kNotFollowed; };
  for (std::uint32_t before = kNotFollowed; before != follows_;) {
    before = follows_;
    for (const StaticInstruction& each : program.instructions()) {
      if (copies_register(each) && std::ranges::any_of(each.writes, is_followed))
        std::ranges::for_each(each.reads, follow);
    }
  }
}

StepEvents ProductFenceCheck::needs(std::uint32_t instruction) const {
  if (follows_ == 0) return {};
  const StaticInstruction& which = block_.instruction(instruction);
  return {.before = is_fence(which) || multiplies(which) ||
                    std::ranges::any_of(which.writes, [&](std::uint32_t r) {
                      return followed_[r] != kNotFollowed;
                    })};
}

void ProductFenceCheck::on_block_begin(std::vector<Warp>& warps) {
  if (follows_ == 0) return;
  warps_.assign(warps.size(), {});
  for (WarpWrites& warp : warps_) warp.of.resize(follows_);
}

void ProductFenceCheck::before(const WarpStep& step) {
  const StaticInstruction& which = block_.instruction(step.op.instruction);
  WarpWrites& warp = warps_[step.warp.index];
  if (is_fence(which)) {
    ++warp.fences;
    return;
  }
  Write now;
  if (multiplies(which)) {
    if (!check_product(step, warp)) ++warp.fences;  // what follows has been said
  } else if (copies_register(which)) {
    for (const std::uint32_t r : which.reads) {
      if (followed_[r] == kNotFollowed) continue;
      const Write& source = warp.of[followed_[r]];
      if (source.after > now.after) now = source;
    }
  } else {
    now = {warp.fences + 1, step.op.instruction};
  }
  for (const std::uint32_t r : which.writes) {
    if (followed_[r] != kNotFollowed) warp.of[followed_[r]] = now;
  }
}

bool ProductFenceCheck::check_product(const WarpStep& step, const WarpWrites& warp) {
  const StaticInstruction& product = block_.instruction(step.op.instruction);
  const Write* open = nullptr;
  for_matrix_registers(product, [&](std::uint32_t r) {
    const Write& write = warp.of[followed_[r]];
    if (write.after > warp.fences && open == nullptr) open = &write;
  });
  if (open == nullptr && warp.fences != 0) return true;
  if (!block_.reports.is_new(FindingKind::kCpAsync, step.op.instruction)) return false;
  const auto lane = static_cast<unsigned>(std::countr_zero(step.lanes));
  const std::uint32_t thread = step.warp.index * kWarpSize + lane;
  if (open == nullptr) {
    block_.reports.add(FindingKind::kCpAsync, step.op.instruction, thread,
                       "is the first product of its warp group, which has executed no fence: put "
                       "wgmma.fence.sync.aligned before it");
    return false;
  }
  AccessStamp other;
  other.thread = thread & 0x3ffu;
  other.instruction = open->instruction & (AccessStamp::kMostInstructions - 1);
  block_.reports.add(
      FindingKind::kCpAsync, step.op.instruction, thread,
      fmt::format("uses registers that line {} writes, with no fence between the write and the "
                  "product: put wgmma.fence.sync.aligned before the first wgmma",
                  block_.notes.of[open->instruction].line),
      &other);
  return false;
}

}  // namespace tilescope
