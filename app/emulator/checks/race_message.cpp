#include "emulator/checks/race_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tilescope {
namespace {

struct Race {
  const RaceFacts& facts;
  const StaticInstruction& main_instruction;
  const StaticInstruction& other_instruction;
  const InstructionNote& main;
  const InstructionNote& other;

  [[nodiscard]] bool in_block() const { return facts.scope == RaceScope::kBlock; }
  [[nodiscard]] bool in_grid() const { return facts.scope == RaceScope::kGrid; }
  [[nodiscard]] bool both_write() const { return facts.main.writes && facts.other.writes; }
  [[nodiscard]] bool holds_lock() const { return main.lock != 0 && main.lock == other.lock; }
  // The branch of the loop in which one of the two waits for what the other writes; 0: neither
  // does.
  [[nodiscard]] std::uint32_t spins() const {
    return both_write() ? 0 : std::max(main.spins, other.spins);
  }
};

bool starts_mbarrier(const StaticInstruction& instruction) {
  return instruction.synchronisation == Synchronisation::kStartMbarrier;
}

// A message is `opening` followed by `rest`; race_message() fills in the names in braces.
struct Rule {
  bool (*holds)(const Race&);
  std::string_view opening;
  std::string_view rest;
};

constexpr std::string_view kWhich =
    "{reads} {place}, which {by} {also}{writes} (line {line}){here}";
constexpr std::string_view kTooEarly =
    "writes {place} while {by} may still have to read it (line {line}): ";
constexpr std::string_view kMixed =
    "{changes} {place} {atomic}, which {by} {changes_too} {atomic_too} (line {line}){here}";

// In order: the first rule that holds words the race.
constexpr Rule kRules[] = {
    {[](const Race& race) {
       return starts_mbarrier(race.main_instruction) || starts_mbarrier(race.other_instruction);
     },
     "{initialises} the mbarrier {place}, which {by} {uses} (line {line}) with no barrier between ",
     "them: put __syncthreads() between its initialisation and its first use"},
    {[](const Race& race) { return race.spins() != 0; }, kWhich,
     ": the loop in line {spin_line} polls a plain word, which the compiler reads once: read it as "
     "volatile or by cuda::atomic_ref, and put {fence} behind the loop and before the write of the "
     "flag"},
    {[](const Race& race) {
       return !race.in_block() && (race.main.of_block || race.other.of_block);
     },
     kWhich,
     ": an atomic for a block (_block, .cta) is atomic among the threads of one block only: "
     "use one for the whole device (atomicAdd ...)"},
    {[](const Race& race) { return race.holds_lock() && race.facts.has_released; }, kWhich,
     ": each holds a lock that is taken in line {lock_line}, but not the same one, or not at this "
     "place: let all take one lock before and give it back after"},
    // A barrier would hang: one thread after another comes here.
    {[](const Race& race) { return race.holds_lock(); }, kWhich,
     ": both hold the lock that is taken in line {lock_line}, but without a fence the one need not "
     "see what the other has written: put {fence} after the lock is taken and before it is given "
     "back (atomicExch), or change the place by an atomic"},
    {[](const Race& race) { return race.facts.one_change && is_choice(race.main.update); }, kWhich,
     ", and what is read (line {read_line}) decides whether it is written: several {thread}s may "
     "find the old value; test and write in one step with an atomic ({function}), {otherwise}"},
    {[](const Race& race) { return race.facts.mixed && race.in_grid(); }, kMixed,
     ": use an atomic for every access to it, or order them with a fence and a flag"},
    {[](const Race& race) { return race.facts.mixed; }, kMixed,
     " with no synchronisation between them: put {barrier} between the two, or make both atomic"},
    {[](const Race& race) { return race.facts.one_change; },
     "changes {place}, as {by} does in {same_line} too: each reads the old value and writes ",
     "the new one, so that a change is lost; use an atomic ({function}), {otherwise}"},
    {[](const Race& race) { return race.facts.one_step; },
     "writes {place} from several lanes at once, {by} among them, with different values: ",
     "which one remains is undefined; give each lane an element of its own or choose one lane"},
    {[](const Race& race) { return race.both_write() && race.in_grid(); }, kWhich,
     ": give each block elements of its own, or use an atomic"},
    {[](const Race& race) { return race.both_write(); }, kWhich,
     " with another value and no {separator} between them: give each {thread} an element of "
     "its own, or put {barrier} between the writes"},
    {[](const Race& race) { return race.facts.announced; }, kWhich,
     ": the store may become visible after the flag or atomic that announces it: put "
     "__threadfence() between the two"},
    {[](const Race& race) { return race.facts.flag_line != 0; }, kWhich,
     ": the threads that write have a fence, but the thread that announces it (line {flag_line}) "
     "does not wait for theirs: put __syncthreads() between the fence and line {flag_line}"},
    {[](const Race& race) { return race.in_grid(); }, kWhich,
     ": blocks run in any order, so write another buffer than is read, use a launch of its own or "
     "this_grid().sync(), or put __threadfence() between the write and a flag (volatile or atomic) "
     "that the reader has seen"},
    {[](const Race& race) {
       return race.facts.main.writes && race.main_instruction.fills_in_bulk();
     },
     kTooEarly,
     "let that thread arrive, after the read, at an mbarrier that this thread waits for before the "
     "copy, or put {barrier} between the two"},
    {[](const Race& race) {
       return race.facts.main.writes &&
              race.other_instruction.operation == Operation::kWarpgroupProduct;
     },
     "writes {place} while the products of {by}'s warp group (line {line}) may still read it: ",
     "put {barrier} between the wait for their group (wgmma.commit_group, wgmma.wait_group 0) and "
     "this write"},
    {[](const Race& race) { return race.facts.main.writes; }, kTooEarly,
     "put {barrier} between the read and this write"},
    {[](const Race& race) { return race.other_instruction.access == AccessKind::kAsyncCopy; },
     "reads {place}, which {by}'s cp.async (line {line}) fills, with no barrier between that ",
     "thread's wait for the copy and this read: put {barrier} between them"},
    {[](const Race&) { return true; }, kWhich,
     " with no {separator} between them: put {barrier} between the write and this read"},
};

std::string_view atomic_function(InstructionNote::Update update) {
  using Update = InstructionNote::Update;
  switch (update) {
    case Update::kAdd:
      return "atomicAdd";
    case Update::kMin:
      return "atomicMin";
    case Update::kMax:
      return "atomicMax";
    case Update::kOr:
      return "atomicOr";
    case Update::kAnd:
      return "atomicAnd";
    case Update::kXor:
      return "atomicXor";
    case Update::kExtreme:
      return "atomicMax or atomicMin; of floats a loop with atomicCAS";
    default:
      return "atomicCAS";
  }
}

// The remedy that is named beside an atomic.
std::string otherwise(const Race& race) {
  if (race.in_grid()) return "or give each block elements of its own";
  if (race.facts.one_step && !is_choice(race.main.update))
    return "or, if one change is meant, let one lane make it";
  return fmt::format("or, where one of them is meant to come first, put {} between them",
                     race.facts.barrier);
}

}  // namespace

std::string race_message(const RaceFacts& facts, const Program& program,
                         const InstructionNotes& notes) {
  const auto& instructions = program.instructions();
  const Race race{facts, instructions[facts.main.instruction],
                  instructions[facts.other.instruction], notes.of[facts.main.instruction],
                  notes.of[facts.other.instruction]};
  const Rule& rule =
      *std::ranges::find_if(kRules, [&](const Rule& each) { return each.holds(race); });
  const bool any_atomic = facts.main.atomic || facts.other.atomic;
  const auto kind_of = [&](const RaceFacts::Access& access,
                           std::string_view without) -> std::string_view {
    if (any_atomic) return access.atomic ? "with an atomic" : without;
    return notes.of[access.instruction].strong ? "as volatile" : "not as volatile";
  };
  const auto line_of = [&](std::uint32_t instruction) { return notes.of[instruction].line; };
  using fmt::arg;
  return fmt::format(
      fmt::runtime(std::string(rule.opening).append(rule.rest)),  //
      arg("reads", facts.main.writes ? "writes" : "reads"),
      arg("writes", facts.other.writes ? "writes" : "reads"),
      arg("changes", facts.main.writes ? "changes" : "reads"),
      arg("changes_too", facts.other.writes ? "changes" : "reads"),
      arg("initialises", facts.main.writes ? "initialises" : "uses"),
      arg("uses", facts.main.writes ? "uses" : "initialises"),
      arg("atomic", kind_of(facts.main, "without an atomic")),
      arg("atomic_too", kind_of(facts.other, "without one")),
      arg("also", race.both_write() ? "also " : ""), arg("place", facts.place), arg("by", facts.by),
      arg("line", race.other.line),
      arg("same_line", race.other.line == race.main.line ? std::string("this line")
                                                         : fmt::format("line {}", race.other.line)),
      arg("here", race.in_grid() ? " in the same launch" : ""), arg("barrier", facts.barrier),
      arg("separator", facts.scope == RaceScope::kCluster ? "cluster.sync()" : "barrier"),
      arg("fence", facts.shared ? "__threadfence_block()" : "__threadfence()"),
      arg("thread", race.in_block() ? "thread" : "block"),
      arg("function", fmt::format("{}{}", atomic_function(race.main.update),
                                  facts.bytes < 4 ? ", on words of 32 bits" : "")),
      arg("otherwise", otherwise(race)), arg("read_line", race.main.update_load),
      arg("spin_line", line_of(race.spins())), arg("flag_line", facts.flag_line),
      arg("lock_line", race.holds_lock() ? line_of(race.main.lock - 1) : 0));
}

}  // namespace tilescope
