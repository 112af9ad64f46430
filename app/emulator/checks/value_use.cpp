#include "emulator/checks/value_use.h"

#include <algorithm>

namespace tilescope {

ValueUse follow_value(const Program& program, std::uint32_t load) {
  const auto& instructions = program.instructions();
  std::vector<bool> reached(program.register_count(), false);
  for (const std::uint32_t r : instructions[load].writes) reached[r] = true;
  ValueUse result;
  std::vector<bool> seen(instructions.size(), false);
  seen[load] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
      const StaticInstruction& use = instructions[i];
      if (seen[i] || std::none_of(use.reads.begin(), use.reads.end(),
                                  [&](std::uint32_t r) { return reached[r]; }))
        continue;
      seen[i] = true;
      if (use.is("setp") || use.is("bra")) continue;
      if (use.access == AccessKind::kAtomic) {
        result.atomics.push_back(i);
      } else if (use.access != AccessKind::kNone || use.writes.empty()) {
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
