#include "emulator/convergence_barriers.h"

#include <bit>
#include <cstring>

#include "emulator/common_families.h"
#include "emulator/execution_context.h"
#include "emulator/executors/lanes.h"
#include "emulator/warp.h"

namespace tilescope {

void ConvergenceBarriers::set(std::uint32_t barrier, unsigned lane, std::uint32_t members) {
  if (members_.empty()) members_.resize(kCount);
  members_[barrier][lane] = members;
}

void ConvergenceBarriers::start(std::uint32_t barrier, std::uint32_t lanes) {
  open_[barrier] |= lanes;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    set(barrier, static_cast<unsigned>(std::countr_zero(left)), lanes);
  }
}

void ConvergenceBarriers::leave(std::uint32_t barrier, std::uint32_t lanes) {
  open_[barrier] &= ~lanes;
  if (members_.empty()) return;
  std::uint32_t others = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    others |= members_[barrier][static_cast<std::size_t>(std::countr_zero(left))];
  }
  for (std::uint32_t left = others; left != 0; left &= left - 1) {
    members_[barrier][static_cast<std::size_t>(std::countr_zero(left))] &= ~lanes;
  }
}

namespace {

using portable::Row32;
using portable::row_at;

std::uint32_t barrier_of(const MicroOp& op) { return static_cast<std::uint32_t>(op.immediate); }

void execute_start(const MicroOp& op, std::byte*, std::uint32_t mask, ExecutionContext& context) {
  context.warp->convergence.start(barrier_of(op), mask);
}

void execute_break(const MicroOp& op, std::byte*, std::uint32_t mask, ExecutionContext& context) {
  context.warp->convergence.leave(barrier_of(op), mask);
}

void execute_save(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                  ExecutionContext& context) {
  Row32* d = row_at<std::uint32_t>(registers, op.row[0]);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    d[lane] = context.warp->convergence.members(barrier_of(op), lane);
  }
  context.warp->convergence.close(barrier_of(op), mask);
}

void execute_restore(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                     ExecutionContext& context) {
  const Row32* a = row_at<std::uint32_t>(registers, op.row[0]);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    context.warp->convergence.set(barrier_of(op), lane, a[lane]);
  }
  context.warp->convergence.reopen(barrier_of(op), mask);
}

// Whether lanes of the operand are missing here.
void execute_test(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                  ExecutionContext& context) {
  const Row32* a = row_at<std::uint32_t>(registers, op.row[1]);
  const std::uint32_t lanes = a[std::countr_zero(mask)] & context.warp->alive;
  std::uint32_t apart = 0;
  std::memcpy(&apart, registers + op.row[0], sizeof apart);
  apart = (apart & ~mask) | ((lanes & ~mask) != 0 ? mask : 0);
  std::memcpy(registers + op.row[0], &apart, sizeof apart);
}

}  // namespace

Executor find_convergence(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kConvergenceStart:
      return execute_start;
    case Operation::kConvergenceBreak:
      return execute_break;
    case Operation::kConvergenceSave:
      return execute_save;
    case Operation::kConvergenceRestore:
      return execute_restore;
    case Operation::kConvergenceTest:
      return execute_test;
    default:
      return nullptr;
  }
}

}  // namespace tilescope
