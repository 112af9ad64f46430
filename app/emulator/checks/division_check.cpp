#include "emulator/checks/division_check.h"

#include <string>

#include "emulator/execution/register_cells.h"

namespace tilescope {

StepEvents DivisionCheck::needs(std::uint32_t instruction) const {
  const StaticInstruction& which = block_.instruction(instruction);
  const DataType type = which.modifiers.last_type();
  const bool of_floats = type == DataType::kF32 || type == DataType::kF64;
  return {.before = (which.is(Mnemonic::kDiv) && !of_floats) || which.is(Mnemonic::kRem)};
}

void DivisionCheck::before(const WarpStep& division) {
  const MicroOp& op = division.op;
  const StaticInstruction& which = block_.instruction(op.instruction);
  const DataType type = which.modifiers.last_type();
  const bool wide = type == DataType::kS64 || type == DataType::kU64;
  for_lanes(division.lanes, [&](unsigned lane) {
    if (cell_at(division.registers, op.row[2], lane, wide) != 0) return;
    if (!block_.reports.is_new(FindingKind::kDivision, op.instruction)) return;
    block_.reports.add(
        FindingKind::kDivision, op.instruction, block_.thread(lane),
        std::string(which.is(Mnemonic::kRem) ? "takes the remainder (%) of" : "makes") +
            " an integer division by zero, whose result is undefined: test the divisor before");
  });
}

}  // namespace tilescope
