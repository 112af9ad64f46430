#include "emulator/checks/value_use.h"

#include <algorithm>

#include "emulator/checks/instruction_text.h"

namespace tilescope {

ValueUse follow_value(const Program& program, const RegisterUses& uses, std::uint32_t load) {
  const auto& instructions = program.instructions();
  std::vector<bool> reached(uses.registers, false);
  for (const std::uint32_t r : uses.by_instruction[load].writes) reached[r] = true;
  ValueUse result;
  std::vector<bool> seen(instructions.size(), false);
  seen[load] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
      const RegisterUse& use = uses.by_instruction[i];
      if (seen[i] || std::none_of(use.reads.begin(), use.reads.end(),
                                  [&](std::uint32_t r) { return reached[r]; }))
        continue;
      seen[i] = true;
      const InstructionParts parts = parts_of(instructions[i].text);
      if (parts.is("setp") || parts.is("bra")) continue;
      if (instructions[i].access == AccessKind::kAtomic) {
        result.atomics.push_back(i);
      } else if (instructions[i].access != AccessKind::kNone || use.writes.empty()) {
        result.kept = true;
      } else {
        for (const std::uint32_t r : use.writes) reached[r] = true;
        changed = true;
      }
    }
  }
  return result;
}

}  // namespace tilescope
