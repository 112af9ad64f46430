#include "emulator/checks/shuffle_flow.h"

#include <algorithm>
#include <string_view>

namespace tilescope {
namespace {

using Part = ShuffleFlow::Part;

Part part_of(const StaticInstruction& instruction, const InstructionNote& note) {
  if (note.members == InstructionNote::Members::kFurther) return Part::kShuffles;
  if (note.members != InstructionNote::Members::kNone) return Part::kEnds;
  const auto names = [&](std::string_view word) {
    return instruction.text.find(word) != std::string_view::npos;
  };
  const bool hidden = instruction.space == MemorySpace::kLocal ||
                      instruction.space == MemorySpace::kParameter || names(".param");
  if (hidden || names("call")) return Part::kEnds;
  if (instruction.access != AccessKind::kNone) return Part::kUses;
  return names("selp") ? Part::kChooses : Part::kPasses;
}

}  // namespace

ShuffleFlow follow_shuffles(const Program& program, const InstructionNotes& notes) {
  ShuffleFlow flow;
  Result<RegisterUses> uses = register_uses(program);
  if (!uses) return flow;
  flow.uses = *std::move(uses);
  const auto& instructions = program.instructions();
  for (std::size_t i = 0; i < instructions.size(); ++i)
    flow.of.push_back(part_of(instructions[i], notes.of[i]));
  std::vector<bool> reached(flow.uses.registers, false);
  const auto any = [&](const std::vector<std::uint32_t>& registers) {
    return std::any_of(registers.begin(), registers.end(),
                       [&](std::uint32_t r) { return reached[r]; });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < flow.of.size(); ++i) {
      const RegisterUse& use = flow.uses.by_instruction[i];
      const bool passes = flow.of[i] == Part::kPasses || flow.of[i] == Part::kChooses;
      if (flow.of[i] != Part::kShuffles && !(passes && any(use.reads))) continue;
      for (const std::uint32_t r : use.writes) {
        changed |= !reached[r];
        reached[r] = true;
      }
    }
  }
  for (std::size_t i = 0; i < flow.of.size(); ++i) {
    const RegisterUse& use = flow.uses.by_instruction[i];
    if (flow.of[i] != Part::kShuffles && !any(use.reads) && !any(use.writes))
      flow.of[i] = Part::kNone;
  }
  return flow;
}

}  // namespace tilescope
