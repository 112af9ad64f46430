#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/checks/block_check.h"
#include "emulator/checks/place_name.h"
#include "emulator/checks/value_flow.h"
#include "emulator/common_executors/bulk_transfers.h"

// What the checks say.
namespace tilescope {

std::string BlockCheck::thread_text(std::uint32_t thread) const {
  const Dim3 index = unflatten(thread, context_.block_extent);
  return fmt::format("thread ({},{},{})", index.x, index.y, index.z);
}

// A worker's blocks come in rising order, so the first report of an instruction is the one to keep.
bool BlockCheck::is_new(FindingKind kind, std::uint32_t instruction) {
  static_assert(static_cast<unsigned>(FindingKind::kEndless) < 8);
  const auto bit = static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind));
  if ((reported_[instruction] & bit) != 0) return false;
  reported_[instruction] = static_cast<std::uint8_t>(reported_[instruction] | bit);
  return true;
}

Finding BlockCheck::finding_of(FindingKind kind, std::uint32_t instruction, std::uint32_t thread,
                               std::string message, const AccessStamp* other) const {
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.instruction = instruction;
  finding.block = context_.block;
  finding.thread = unflatten(thread, context_.block_extent);
  if (other != nullptr) {
    finding.other = Finding::Other{other->instruction, context_.block,
                                   unflatten(other->thread, context_.block_extent)};
  }
  return finding;
}

void BlockCheck::add(FindingKind kind, std::uint32_t instruction, std::uint32_t thread,
                     std::string message, const AccessStamp* other) {
  context_.findings->add(context_.point.block,
                         finding_of(kind, instruction, thread, std::move(message), other));
}

bool BlockCheck::was_reported(FindingKind kind, std::uint32_t instruction) const {
  const unsigned reported = reported_[instruction];
  return (reported >> static_cast<unsigned>(kind) & 1u) != 0;
}

// PTX ISA, "shfl.sync" and its like: undefined where the member mask leaves out who executes it.
void BlockCheck::report_unnamed(std::uint32_t instruction, const Warp& warp, std::uint32_t lanes,
                                std::uint32_t members) {
  if (!is_new(FindingKind::kBarrier, instruction)) return;
  const std::uint32_t thread =
      warp.index * 32 + static_cast<std::uint32_t>(std::countr_zero(lanes));
  add(FindingKind::kBarrier, instruction, thread,
      fmt::format(
          "{} executes this with a mask ({:#x}) that does not name it: name every lane that "
          "comes here",
          thread_text(thread), members));
}

// PTX ISA, "mma", "ldmatrix", "wmma.load" ...: undefined unless all threads of the warp execute it.
void BlockCheck::report_part_of_warp(std::uint32_t instruction, const Warp& warp,
                                     std::uint32_t lanes) {
  const std::uint32_t absent = warp.lanes & ~lanes;
  if (absent == 0 || !is_new(FindingKind::kBarrier, instruction)) return;
  const auto first = [&](std::uint32_t of) {
    return warp.index * 32 + static_cast<std::uint32_t>(std::countr_zero(of));
  };
  add(FindingKind::kBarrier, instruction, first(lanes),
      fmt::format("{} of the warp's {} threads execute this, which the whole warp must; {} does "
                  "not: let every lane of the warp reach it together",
                  std::popcount(lanes), std::popcount(warp.lanes), thread_text(first(absent))));
}

// Kept until the block is done: a race between warps says more than one inside a warp.
void BlockCheck::report_race(const Race& race) {
  const bool shared = race.space == MemorySpace::kShared;
  const FindingKind kind = shared ? FindingKind::kSharedRace : FindingKind::kGlobalRace;
  if (shared) {
    raced_lines_.push_back(notes_.of[race.past.instruction].line);
    raced_lines_.push_back(notes_.of[race.now.instruction].line);
  }
  // The one that comes later in its own warp's time is where the barrier was due: a read of what
  // should have been written before, or a write over what should have been read before. The order
  // of execution does not say it, for warps run ahead of each other.
  const bool between_warps = race.past.warp() != race.now.warp();
  // What arrives only after others read it was not waited for before the barrier that let them.
  const bool late = race.past.polls != 0 && notes_.of[race.past.instruction].copies;
  const bool together = !between_warps && race.past.tick == race.now.tick;
  const bool past_is_main =
      !together && order_.since_barrier(race.past) &&
      (late ? between_warps && order_.progress(race.past) > order_.progress(race.now)
            : order_.is_later(race.past, race.now));
  if (shared && past_is_main && race.past_writes && late && !race.now_writes) {
    cp_async_reported_ = true;
    report_copy({race.now, race.past, static_cast<std::uint32_t>(race.address), 4, true});
    return;
  }
  const bool copies_late = may_be_late(race);
  const AccessStamp& writer = race.past_writes ? race.past : race.now;
  const bool arrived =
      copies_late && race.past_writes && !context_.pending->touches(race.address, race.bytes);
  const AccessStamp& reader = race.past_writes ? race.now : race.past;
  if (arrived && order_.has_been_at(reader.instruction, writer)) {
    cp_async_reported_ = true;
    report_copy(touch_of(race));
    return;
  }
  const std::uint32_t main = past_is_main ? race.past.instruction : race.now.instruction;
  if (was_reported(kind, main)) return;
  const auto found = races_.find({kind, main});
  if (found != races_.end() && (found->second.between_warps || !between_warps)) return;
  FoundRace& kept =
      races_[{kind, main}] = {race, past_is_main, between_warps, false, copies_late && !arrived};
  const InstructionNote& note = notes_.of[reader.instruction];
  if (note.partner != 0) kept.race.both_write |= order_.was_at(note.partner, reader.thread);
  kept.many_write = order_.several_at(writer.instruction);
}

// The thread that was found reading writes the same place now.
void BlockCheck::note_change(MemorySpace space, std::uint64_t address, const AccessStamp& now) {
  for (auto& [key, found] : races_) {
    Race& race = found.race;
    const AccessStamp& reader = race.past_writes ? race.now : race.past;
    race.both_write |= race.space == space && race.address == address &&
                       reader.thread == now.thread &&
                       update_one_place(notes_.of[reader.instruction], notes_.of[now.instruction]);
  }
}

// A line that races inside a warp here and between warps there needs the block's barrier.
bool BlockCheck::meets_other_warps(const FoundRace& found) const {
  const auto has_line = [&](const Race& race, std::uint32_t line) {
    return notes_.of[race.past.instruction].line == line ||
           notes_.of[race.now.instruction].line == line;
  };
  return found.between_warps || std::any_of(races_.begin(), races_.end(), [&](const auto& entry) {
           const FoundRace& other = entry.second;
           return other.between_warps && other.race.space == found.race.space &&
                  (has_line(other.race, notes_.of[found.race.past.instruction].line) ||
                   has_line(other.race, notes_.of[found.race.now.instruction].line));
         });
}

void BlockCheck::report_races() {
  for (const auto& [key, found] : races_) {
    if (found.copy_is_late) {
      report_copy(touch_of(found.race));
      continue;
    }
    if (!is_new(key.first, key.second)) continue;
    const char* barrier = meets_other_warps(found) ? "__syncthreads()" : "__syncwarp()";
    context_.findings->add(context_.point.block, describe_race(key.first, found, barrier));
  }
  races_.clear();
}

// Do both threads read the place and write it for what they read there?
bool BlockCheck::changes_in_turn(const FoundRace& found) const {
  const InstructionNote& past = notes_.of[found.race.past.instruction];
  if (!update_one_place(past, notes_.of[found.race.now.instruction])) return false;
  return found.race.both_write || (is_choice(past.update) && found.many_write);
}

std::string BlockCheck::describe_update(const FoundRace& found, const std::string& place,
                                        const std::string& by, const char* barrier) const {
  const AccessStamp& main = found.past_is_main ? found.race.past : found.race.now;
  const AccessStamp& other = found.past_is_main ? found.race.now : found.race.past;
  const InstructionNote& note = notes_.of[main.instruction];
  const std::uint32_t line = notes_.of[other.instruction].line;
  if (is_choice(note.update)) {
    const bool writes = found.past_is_main ? found.race.past_writes : found.race.now_writes;
    return fmt::format(
        "{} {}, which {} {} (line {}), and what is read (line {}) decides whether it is written: "
        "several threads may find the old value; look and write in one step with an atomic "
        "({}), or, where one of them is meant to come first, put {} between them",
        writes ? "writes" : "reads", place, by,
        notes_.of[other.instruction].partner != 0 ? "reads" : "writes", line, note.update_load,
        atomic_for(note.update), barrier);
  }
  return fmt::format(
      "changes {}, as {} does in {} too: each reads the old value and writes the new one, so that "
      "a change is lost; use an atomic ({}), or, where one of them is meant to come first, put {} "
      "between them",
      place, by, line == note.line ? "this line" : fmt::format("line {}", line),
      atomic_for(note.update), barrier);
}

Finding BlockCheck::describe_race(FindingKind kind, const FoundRace& found,
                                  const char* barrier) const {
  const Race& race = found.race;
  const AccessStamp& main = found.past_is_main ? race.past : race.now;
  const AccessStamp& other = found.past_is_main ? race.now : race.past;
  const bool main_writes = found.past_is_main ? race.past_writes : race.now_writes;
  const bool other_writes = found.past_is_main ? race.now_writes : race.past_writes;
  const std::string place = name_place(context_, race.space, race.address, race.bytes);
  const std::string by = thread_text(other.thread);
  const std::uint32_t line = notes_.of[other.instruction].line;
  std::string message;
  if (notes_.of[other.instruction].starts || notes_.of[main.instruction].starts) {
    message = fmt::format(
        "{} the mbarrier {}, which {} {} (line {}) with no barrier between them: put "
        "__syncthreads() between its initialisation and its first use",
        main_writes ? "initialises" : "uses", place, by, main_writes ? "uses" : "initialises",
        line);
  } else if (main.atomic != 0 || other.atomic != 0) {
    message = fmt::format(
        "{} {} {}, which {} {} {} (line {}) with nothing between to order them: put {} between "
        "the two, or make both atomic",
        main_writes ? "changes" : "reads", place,
        main.atomic != 0 ? "with an atomic" : "without an atomic", by,
        other_writes ? "changes" : "reads", other.atomic != 0 ? "with an atomic" : "without one",
        line, barrier);
  } else if (changes_in_turn(found)) {
    message = describe_update(found, place, by, barrier);
  } else if (race.past.tick == race.now.tick && race.past.warp() == race.now.warp()) {
    message = fmt::format(
        "writes {} from several lanes at once, {} among them, with different values: which one "
        "stays is not defined; give each lane an element of its own or choose one lane",
        place, by);
  } else if (main_writes && other_writes) {
    message = fmt::format(
        "writes {}, which {} also writes (line {}) with another value and no barrier between "
        "them: give each thread an element of its own, or put {} between the writes",
        place, by, line, barrier);
  } else if (main_writes) {
    message = fmt::format(
        "writes {} while {} may still have to read it (line {}): put {} between the read and this "
        "write",
        place, by, line, barrier);
  } else {
    message = fmt::format(
        "reads {}, which {} writes (line {}) with no barrier between them: put {} between the "
        "write and this read",
        place, by, line, barrier);
  }
  return finding_of(kind, main.instruction, main.thread, std::move(message), &other);
}

}  // namespace tilescope
