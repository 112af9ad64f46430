#include "emulator/checks/constant_bounds_check.h"

#include <bit>
#include <string>

#include "emulator/checks/bounds_check.h"
#include "emulator/decode/variable_layout.h"
#include "emulator/execution/register_cells.h"

namespace tilescope {

StepEvents ConstantBoundsCheck::needs(std::uint32_t instruction) const {
  const StaticInstruction& which = block_.instruction(instruction);
  return {.before = which.is(Mnemonic::kLd) && which.space == MemorySpace::kConstant &&
                    std::popcount(block_.notes.of[instruction].constants) == 1};
}

void ConstantBoundsCheck::before(const WarpStep& load) {
  const MicroOp& op = load.op;
  const std::uint64_t which = block_.notes.of[op.instruction].constants;
  const PlacedVariable& array =
      block_.context.code->constant_variables[static_cast<std::size_t>(std::countr_zero(which))];
  for_lanes(load.lanes, [&](unsigned lane) {
    const bool wide = (op.flags & kWideBase) != 0;
    const std::uint64_t offset =
        cell_at(load.registers, op.row[0], lane, wide) + static_cast<std::uint64_t>(op.immediate);
    const bool inside = offset >= array.offset && offset + op.bytes <= array.offset + array.bytes;
    if (inside || offset + op.bytes > block_.context.constant_bytes) return;
    if (!block_.reports.is_new(FindingKind::kOutOfBounds, op.instruction)) return;
    PlacedVariable named = array;
    named.name = readable_name(array.name);
    block_.reports.add(FindingKind::kOutOfBounds, op.instruction, block_.thread(lane),
                       neighbour_text({op, MemorySpace::kConstant, offset}, named, array.bytes));
  });
}

}  // namespace tilescope
