#include "emulator/checks/launch_check.h"

#include <fmt/format.h>

#include <map>

#include "emulator/checks/race_message.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/place_name.h"

namespace tilescope {
namespace {

// The line of the atomic or strong store that announces a write, where only a fence of each thread
// for itself stands between the two; 0: there is none.
std::uint32_t early_flag_line(const InstructionNotes& notes, const Program& program,
                              std::uint32_t write) {
  const auto& instructions = program.instructions();
  bool fenced = false;
  for (std::uint32_t i = write + 1; i < instructions.size(); ++i) {
    const StaticInstruction& each = instructions[i];
    const bool announces =
        notes.of[i].strong && notes.of[i].may_access(MemorySpace::kGlobal) &&
        (each.access == AccessKind::kStore || each.access == AccessKind::kAtomic);
    if (announces) return fenced ? notes.of[i].line : 0;
    if (fenced && each.is_barrier) return 0;
    fenced = fenced || notes.of[i].fence == InstructionNote::Fence::kDevice;
  }
  return 0;
}

}  // namespace

LaunchCheck::LaunchCheck(const Program& program, const Launch& launch, const MemoryMap& memory,
                         std::uint64_t blocks)
    : program_(program),
      notes_(note_instructions(program)),
      launch_(launch),
      memory_(memory),
      grid_(memory, notes_.global_cell_bytes, notes_.device_fences),
      many_blocks_(blocks > 1 && launch.grid.count() < GridUse::kNever) {}

Finding LaunchCheck::describe(const GridHistory::Race& race) const {
  // The reader's line is where the trouble shows; of two writers the lower block's.
  const bool second_is_main = race.first_writes && !race.second_writes;
  const GridUse& main = second_is_main ? race.second : race.first;
  const GridUse& other = second_is_main ? race.first : race.second;
  const bool main_writes = second_is_main ? race.second_writes : race.first_writes;
  const bool other_writes = second_is_main ? race.first_writes : race.second_writes;
  ExecutionContext context;
  context.memory = &memory_;
  Finding finding;
  finding.kind = FindingKind::kGlobalRace;
  const std::uint32_t spins = notes_.of[main.instruction].spins;
  finding.instruction = spins != 0 ? spins : main.instruction;
  finding.block = unflatten(main.block, launch_.grid);
  finding.thread = unflatten(main.thread, launch_.block);
  finding.other = Finding::Other{other.instruction, unflatten(other.block, launch_.grid),
                                 unflatten(other.thread, launch_.block)};
  const auto access_of = [&](const GridUse& use, bool writes) {
    const AccessKind kind = program_.instructions()[use.instruction].access;
    return RaceFacts::Access{use.instruction, writes, kind == AccessKind::kAtomic};
  };
  const InstructionNote& main_note = notes_.of[main.instruction];
  const Dim3& block = finding.other->block;
  RaceFacts facts;
  facts.scope = RaceScope::kGrid;
  facts.main = access_of(main, main_writes);
  facts.other = access_of(other, other_writes);
  facts.place = name_place(context, MemorySpace::kGlobal, race.address, notes_.global_cell_bytes);
  facts.by = fmt::format("block ({},{},{})", block.x, block.y, block.z);
  facts.one_change = update_one_place(main_note, notes_.of[other.instruction]) &&
                     (race.both_write || is_choice(main_note.update));
  facts.mixed = race.strong;
  facts.has_released = other.published != GridUse::kNever;
  facts.announced = race.announced;
  if (other_writes && !facts.has_released)
    facts.flag_line = early_flag_line(notes_, program_, other.instruction);
  finding.message = race_message(facts, program_, notes_);
  return finding;
}

void LaunchCheck::finish(FindingLog& findings) const {
  // The first race of each pair of source lines, the lowest block's of them.
  std::map<std::pair<std::uint32_t, std::uint32_t>, GridHistory::Race> races;
  const ClusterGrid clusters{launch_.grid, program_.cluster()};
  grid_.for_races([&](const GridHistory::Race& race) {
    // A cluster has ways of its own to put its blocks in order, which are not followed here.
    if (clusters.size() > 1 &&
        clusters.cluster_of(race.first.block) == clusters.cluster_of(race.second.block))
      return;
    const std::pair lines{notes_.of[race.first.instruction].line,
                          notes_.of[race.second.instruction].line};
    const auto [entry, added] = races.emplace(lines, race);
    if (!added && race.first.block < entry->second.first.block) entry->second = race;
  });
  for (const auto& [lines, race] : races) {
    Finding finding = describe(race);
    findings.add(flatten(finding.block, launch_.grid), std::move(finding));
  }
}

}  // namespace tilescope
