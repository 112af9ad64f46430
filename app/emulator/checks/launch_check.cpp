#include "emulator/checks/launch_check.h"

#include <fmt/format.h>

#include <map>

#include "emulator/checks/value_flow.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/place_name.h"

namespace tilescope {
namespace {

// The atomic or strong store that announces a write, where only a fence of each thread for itself
// stands between the two; 0: there is none.
std::uint32_t early_flag(const InstructionNotes& notes, const Program& program,
                         std::uint32_t write) {
  const auto& instructions = program.instructions();
  bool fenced = false;
  for (std::uint32_t i = write + 1; i < instructions.size(); ++i) {
    const StaticInstruction& each = instructions[i];
    const bool announces =
        notes.of[i].strong && notes.of[i].may_access(MemorySpace::kGlobal) &&
        (each.access == AccessKind::kStore || each.access == AccessKind::kAtomic);
    if (announces) return fenced ? i : 0;
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
  const Dim3& block = finding.other->block;
  const InstructionNote& main_note = notes_.of[main.instruction];
  const InstructionNote& other_note = notes_.of[other.instruction];
  const bool halves = update_one_place(main_note, other_note);
  const bool locked = main_note.lock != 0 && main_note.lock == other_note.lock;
  const bool chosen = halves && is_choice(main_note.update);
  const bool unannounced = other_writes && other.published == GridUse::kNever;
  const std::uint32_t flag = unannounced ? early_flag(notes_, program_, other.instruction) : 0;
  const std::string remedy =
      spins != 0 ? spin_remedy(notes_, spins, "__threadfence()")
      : main_note.of_block || other_note.of_block
          ? "an atomic for a block (_block, .cta) is atomic "
            "among the threads of one block only: use "
            "one for the whole device (atomicAdd ...)"
      : locked && other.published != GridUse::kNever
          ? fmt::format(
                "each holds a lock that is taken in line {}, but not the same one, or not "
                "at this place: let all take one lock before and give it back after",
                notes_.of[main_note.lock - 1].line)
      : locked      ? lock_remedy(notes_, main_note.lock, "__threadfence()")
      : race.strong ? "use an atomic for every access to it, or order them with a fence and a "
                      "flag"
      : chosen      ? fmt::format(
                          "what is read decides whether it is written, and several blocks may find the "
                               "old value: test and write in one step with an atomic ({}), or give each "
                               "block elements of its own",
                          atomic_for(main_note.update))
      : race.both_write && halves
          ? fmt::format(
                "each reads the old value and writes the new one, so use an atomic ({}), or "
                "give each block elements of its own",
                atomic_for(main_note.update))
      : main_writes && other_writes ? "give each block elements of its own, or use an atomic"
      : race.announced
          ? "the store may become visible after the flag or atomic that announces it: put "
            "__threadfence() between the two"
      : flag != 0
          ? fmt::format(
                "the threads that write have a fence, but the thread that announces it "
                "(line {}) does not wait for theirs: put __syncthreads() between the fence "
                "and line {}",
                notes_.of[flag].line, notes_.of[flag].line)
          : "blocks run in any order, so write another buffer than is read, use a launch of "
            "its own or this_grid().sync(), or put __threadfence() between the write and a "
            "flag (volatile or atomic) that the reader has seen";
  finding.message =
      fmt::format("{} {}, which block ({},{},{}) {}{} (line {}) in the same launch: {}",
                  main_writes ? "writes" : "reads",
                  name_place(context, MemorySpace::kGlobal, race.address, notes_.global_cell_bytes),
                  block.x, block.y, block.z,
                  !other_writes                 ? "reads"
                  : main_writes && !race.strong ? "also writes"
                                                : "writes",
                  race.strong ? ", one of them with an atomic and one without" : "",
                  notes_.of[other.instruction].line, remedy);
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
