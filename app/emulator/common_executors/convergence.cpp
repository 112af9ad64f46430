#include <bit>
#include <cstring>

#include "emulator/common_executors/families.h"
#include "emulator/execution/execution_context.h"
#include "emulator/execution/warp.h"
#include "emulator/executors/lanes.h"
#include "emulator/lanes_in.h"

namespace tilescope {

namespace {

using portable::Row32;
using portable::row_at;

std::uint32_t barrier_of(const MicroOp& op) { return static_cast<std::uint32_t>(op.immediate); }

void execute_start(const MicroOp& op, std::byte*, std::uint32_t mask, ExecutionContext& context) {
  context.warp->convergence.add(barrier_of(op), mask);
}

void execute_break(const MicroOp& op, std::byte*, std::uint32_t mask, ExecutionContext& context) {
  context.warp->convergence.remove(barrier_of(op), mask);
  context.warp->wake_complete();
}

void execute_save(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                  ExecutionContext& context) {
  Row32* d = row_at<std::uint32_t>(registers, op.row[0]);
  for (const unsigned lane : lanes_in(mask)) {
    d[lane] = context.warp->convergence.members(barrier_of(op));
  }
  context.warp->convergence.remove(barrier_of(op), ~0u);
}

void execute_restore(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                     ExecutionContext& context) {
  const Row32* a = row_at<std::uint32_t>(registers, op.row[0]);
  context.warp->convergence.restore(barrier_of(op), a[std::countr_zero(mask)]);
}

// Whether lanes of the first operand are missing in the second.
void execute_test(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                  ExecutionContext& context) {
  const auto first = static_cast<std::size_t>(std::countr_zero(mask));
  const std::uint32_t lanes = row_at<std::uint32_t>(registers, op.row[1])[first];
  const std::uint32_t here = row_at<std::uint32_t>(registers, op.row[2])[first];
  const bool missing = (lanes & context.warp->alive & ~here) != 0;
  std::uint32_t apart = 0;
  std::memcpy(&apart, registers + op.row[0], sizeof apart);
  apart = (apart & ~mask) | (missing ? mask : 0);
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
