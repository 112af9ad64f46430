#include "emulator/checks/hoisted_loads.h"

#include <algorithm>
#include <span>
#include <vector>

#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

// Of more steps between a load and what leaves it out the load is taken for one like any other.
constexpr std::size_t kMostRegisters = 16;
constexpr std::size_t kMostBlocks = 8;
constexpr std::size_t kMostSteps = 2048;  // in search of what reads a register

class HoistedLoads {
 public:
  HoistedLoads(const Program& program, InstructionNotes& notes)
      : instructions_(program.instructions()),
        blocks_(program.implementation().code().blocks),
        notes_(notes),
        readers_(program.register_count()),
        writers_(program.register_count(), 0),
        in_block_(blocks_.size()) {
    for (std::uint32_t i = 0; i < instructions_.size(); ++i) {
      const StaticInstruction& each = instructions_[i];
      for (const std::uint32_t r : each.reads) readers_[r].push_back(i);
      if (each.guard != kNoIndex) readers_[each.guard].push_back(i);
      for (const std::uint32_t r : each.writes) ++writers_[r];
      in_block_[each.basic_block].push_back(i);
    }
  }

  void find() {
    for (std::uint32_t i = 0; i < instructions_.size(); ++i) {
      const bool loads = instructions_[i].access == AccessKind::kLoad && !notes_.of[i].strong;
      if (!loads || !follow(i) || !comes_undisturbed(i)) continue;
      notes_.of[i].is_hoisted = true;
      for (const auto& [where, operand] : choices_) {
        notes_.of[where].picks_hoisted = true;
        notes_.choices.emplace(where, InstructionNotes::Choice{i, operand});
      }
    }
  }

 private:
  struct Place {
    std::uint32_t instruction = 0;
    std::uint32_t operand = 0;
  };

  [[nodiscard]] bool is_reached(const StaticInstruction& instruction, std::uint32_t operand) const {
    bool found = false;
    instruction.for_registers(instruction.operands[operand], [&](std::uint32_t r) {
      found = found || std::ranges::find(reached_, r) != reached_.end();
    });
    return found;
  }
  [[nodiscard]] static bool joins_predicates(const StaticInstruction& instruction) {
    return (instruction.operation == Operation::kAnd || instruction.operation == Operation::kOr) &&
           instruction.modifiers.last_type() == DataType::kPred;
  }
  [[nodiscard]] static bool computes(const StaticInstruction& instruction) {
    return instruction.access == AccessKind::kNone && instruction.warp_use == WarpUse::kNone &&
           instruction.synchronisation == Synchronisation::kNone && !instruction.is_barrier &&
           instruction.control == Control::kNext && !instruction.writes.empty();
  }

  // Does nothing but choices_ decide what becomes of the loaded value?
  bool follow(std::uint32_t load) {
    reached_.clear();
    from_.clear();
    choices_.clear();
    add_results(load);
    for (std::size_t done = 0; done < reached_.size(); ++done) {
      if (reached_.size() > kMostRegisters || !find_readers(from_[done], reached_[done]))
        return false;
      for (const std::uint32_t reader : found_) {
        if (!take(instructions_[reader], reader)) return false;
      }
    }
    return !choices_.empty() &&
           std::ranges::all_of(choices_, [&](const Place& place) { return leaves_out(place); });
  }

  void add_results(std::uint32_t from) {
    for (const std::uint32_t r : instructions_[from].writes) {
      if (std::ranges::find(reached_, r) != reached_.end()) continue;
      reached_.push_back(r);
      from_.push_back(from);
    }
  }

  // What reads the register as `from` has written it, into found_. Where several instructions write
  // it, as at the end of a branch, the other readers have nothing to do with this one. False: they
  // are too far away.
  bool find_readers(std::uint32_t from, std::uint32_t r) {
    found_ = readers_[r];
    if (writers_[r] == 1) return true;
    found_.clear();
    const auto has = [r](std::span<const std::uint32_t> registers) {
      return std::ranges::find(registers, r) != registers.end();
    };
    std::vector<std::uint32_t> ahead;  // blocks
    std::size_t steps = 0;
    // True: control leaves the block with the register as it was.
    const auto pass = [&](std::uint32_t block, std::uint32_t first) {
      for (const std::uint32_t i : in_block_[block]) {
        if (i < first) continue;
        ++steps;
        const StaticInstruction& each = instructions_[i];
        if ((has(each.reads) || each.guard == r) && std::ranges::find(found_, i) == found_.end())
          found_.push_back(i);
        if (has(each.writes) && each.guard == kNoIndex) return false;
      }
      return true;
    };
    const auto go_on = [&](std::uint32_t block) {
      const CodeBlock& at = blocks_[block];
      if (at.kind == EndKind::kExit || at.kind == EndKind::kReturn) return;
      for (const std::uint32_t next : {at.target, at.next}) {
        if (next != kNoBlock && std::ranges::find(ahead, next) == ahead.end())
          ahead.push_back(next);
      }
    };
    const std::uint32_t start = instructions_[from].basic_block;
    if (pass(start, from + 1)) go_on(start);
    for (std::size_t done = 0; done < ahead.size(); ++done) {
      if (steps > kMostSteps || blocks_[ahead[done]].kind == EndKind::kIndexed) return false;
      if (pass(ahead[done], 0)) go_on(ahead[done]);
    }
    return true;
  }

  bool take(const StaticInstruction& reader, std::uint32_t index) {
    if (reader.guard != kNoIndex || !computes(reader)) return false;
    const bool selects = reader.operation == Operation::kSelp && !is_reached(reader, 3);
    if (!selects && !joins_predicates(reader)) {
      add_results(index);
      return true;
    }
    if (std::ranges::none_of(choices_, [&](const Place& p) { return p.instruction == index; }))
      choices_.push_back({index, is_reached(reader, 1) ? 1u : 2u});
    return true;
  }

  // With all registers known that the value comes to: only one of the operands is one of them.
  [[nodiscard]] bool leaves_out(const Place& place) const {
    const StaticInstruction& choice = instructions_[place.instruction];
    if (is_reached(choice, 3 - place.operand)) return false;
    return choice.operation != Operation::kSelp || !is_reached(choice, 3);
  }

  [[nodiscard]] bool disturbs(std::uint32_t i) const {
    const StaticInstruction& each = instructions_[i];
    return each.is_barrier || each.warp_use != WarpUse::kNone || notes_.of[i].strong ||
           each.synchronisation != Synchronisation::kNone || each.control == Control::kCall;
  }
  [[nodiscard]] bool any_disturbs(std::uint32_t block, std::uint32_t first,
                                  std::uint32_t last) const {
    return std::ranges::any_of(
        in_block_[block], [&](std::uint32_t i) { return i >= first && i <= last && disturbs(i); });
  }

  // Does no thread that has loaded synchronise before the choices? A race is looked for there.
  [[nodiscard]] bool comes_undisturbed(std::uint32_t load) const {
    constexpr std::uint32_t kLast = 0xffffffff;
    const std::uint32_t goal = instructions_[choices_.front().instruction].basic_block;
    std::uint32_t last = 0;
    for (const Place& place : choices_) {
      if (instructions_[place.instruction].basic_block != goal) return false;
      last = std::max(last, place.instruction);
    }
    const std::uint32_t from = instructions_[load].basic_block;
    if (from == goal && load < choices_.front().instruction)
      return !any_disturbs(goal, load + 1, last);
    if (from == goal || any_disturbs(from, load + 1, kLast) || any_disturbs(goal, 0, last))
      return false;
    std::vector<std::uint32_t> way{from};
    for (std::size_t done = 0; done < way.size(); ++done) {
      const CodeBlock& block = blocks_[way[done]];
      const bool leaves = block.kind == EndKind::kExit || block.kind == EndKind::kReturn;
      if (!leaves && block.kind != EndKind::kFall && block.kind != EndKind::kBranch) return false;
      if (leaves) continue;
      for (const std::uint32_t next : {block.target, block.next}) {
        if (next == kNoBlock || next == goal || std::ranges::find(way, next) != way.end()) continue;
        if (way.size() == kMostBlocks || any_disturbs(next, 0, kLast)) return false;
        way.push_back(next);
      }
    }
    return true;
  }

  const std::vector<StaticInstruction>& instructions_;
  const std::vector<CodeBlock>& blocks_;
  InstructionNotes& notes_;
  std::vector<std::vector<std::uint32_t>> readers_;   // instructions, by register
  std::vector<std::uint32_t> writers_;                // how many, by register
  std::vector<std::vector<std::uint32_t>> in_block_;  // instructions, by block
  std::vector<std::uint32_t> reached_;                // registers that carry the value
  std::vector<std::uint32_t> from_;                   // ... and who puts it there
  std::vector<std::uint32_t> found_;                  // what reads one of them
  std::vector<Place> choices_;                        // which take it or leave it out
};

}  // namespace

void find_hoisted_loads(const Program& program, InstructionNotes& notes) {
  HoistedLoads(program, notes).find();
}

}  // namespace tilescope
