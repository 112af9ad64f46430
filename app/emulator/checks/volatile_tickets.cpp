#include "emulator/checks/volatile_tickets.h"

#include <algorithm>
#include <span>

#include "emulator/checks/value_use.h"

namespace tilescope {
namespace {

bool is_global(const StaticInstruction& instruction) {
  return instruction.space == MemorySpace::kGlobal || instruction.space == MemorySpace::kGeneric;
}

bool is_used(const Program& program, std::uint32_t instruction) {
  const auto& instructions = program.instructions();
  const std::span<const std::uint32_t> results = instructions[instruction].writes;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    const std::span<const std::uint32_t> reads = instructions[i].reads;
    if (i != instruction && std::find_first_of(reads.begin(), reads.end(), results.begin(),
                                               results.end()) != reads.end())
      return true;
  }
  return false;
}

// Is the value, or some bits of it, compared? Then it says by itself whether it is there, as the
// status word of a scan that looks back does.
bool is_tested(const Program& program, std::uint32_t load) {
  const auto& instructions = program.instructions();
  std::vector<bool> reached(program.register_count(), false);
  for (const std::uint32_t r : instructions[load].writes) reached[r] = true;
  const auto takes = [&](std::uint32_t i) {
    const std::span<const std::uint32_t> reads = instructions[i].reads;
    return std::any_of(reads.begin(), reads.end(), [&](std::uint32_t r) { return reached[r]; });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
      const StaticInstruction& each = instructions[i];
      if (each.is("setp") && takes(i)) return true;
      const bool takes_apart = each.is("mov") || each.is("shr") || each.is("and") ||
                               each.is("bfe") || each.is("cvt") || each.is("prmt");
      if (!takes_apart || !takes(i)) continue;
      for (const std::uint32_t r : each.writes) {
        changed = changed || !reached[r];
        reached[r] = true;
      }
    }
  }
  return false;
}

}  // namespace

void note_volatile_tickets(const Program& program, InstructionNotes& notes) {
  const auto& instructions = program.instructions();
  const auto any = [&](AccessKind kind) {
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
      const InstructionNote& note = notes.of[i];
      if (instructions[i].access == kind && is_global(instructions[i]) && note.strong &&
          !note.polls)
        return true;
    }
    return false;
  };
  if (!notes.takes_tickets || !any(AccessKind::kStore) || !any(AccessKind::kLoad)) return;
  bool answers = false;
  bool kept = false;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    InstructionNote& note = notes.of[i];
    if (!note.strong || !is_global(instructions[i])) continue;
    if (instructions[i].access == AccessKind::kAtomic) {
      note.answers = is_used(program, i);
    } else if (instructions[i].access == AccessKind::kLoad && !note.polls && !note.rechecked) {
      const ValueUse use = follow_value(program, i);
      note.kept_volatile = (use.kept || !use.atomics.empty()) && !is_tested(program, i);
    }
    answers = answers || note.answers;
    kept = kept || note.kept_volatile;
  }
  notes.volatile_tickets = answers && kept;
}

}  // namespace tilescope
