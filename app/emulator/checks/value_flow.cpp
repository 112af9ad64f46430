#include "emulator/checks/value_flow.h"

#include <algorithm>
#include <compare>
#include <map>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "emulator/checks/address_origin.h"
#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

// What an address or a register is counted from.
struct Base {
  OperandKind kind = OperandKind::kSink;  // none
  std::uint64_t id = 0;                   // the register's number, the variable, the constant
  std::string_view name;                  // of anything else
  auto operator<=>(const Base&) const = default;
};
struct NamedPlace {
  Base base;
  std::int64_t distance = 0;
  auto operator<=>(const NamedPlace&) const = default;
};

NamedPlace place_of(const StaticInstruction& instruction, const PtxOperand& operand) {
  const bool is_address = operand.kind == OperandKind::kAddress;
  const OperandKind kind = is_address ? operand.base_kind : operand.kind;
  NamedPlace place{{kind, operand.bits, {}}, operand.displacement};
  if (kind == OperandKind::kRegister) place.base.id = instruction.first_register + operand.index;
  if (kind == OperandKind::kVariable) place.base.id = operand.index;
  if (kind == OperandKind::kSpecial || kind == OperandKind::kSymbol) place.base.name = operand.text;
  return place;
}

// A register's value as another register and a distance, where it is set once, by a move or by
// adding a constant.
class NamedAddresses {
 public:
  explicit NamedAddresses(const Program& program)
      : origins_(program.register_count()), times_set_(program.register_count(), 0) {
    for (const StaticInstruction& instruction : program.instructions()) {
      for (const std::uint32_t written : instruction.writes) {
        const bool again = times_set_[written]++ != 0;  // then it stands for itself
        origins_[written] = again ? NamedPlace{} : origin_of(instruction);
      }
    }
  }

  // Of the first address that the instruction names; an empty base: none.
  [[nodiscard]] NamedPlace resolve(const StaticInstruction& instruction) const {
    const PtxOperand* const address = instruction.address();
    if (address == nullptr) return {};
    NamedPlace place = place_of(instruction, *address);
    for (int steps = 0; steps < 16 && place.base.kind == OperandKind::kRegister; ++steps) {
      const NamedPlace& origin = origins_[place.base.id];
      if (origin.base.kind == OperandKind::kSink) break;
      place.base = origin.base;
      place.distance += origin.distance;
    }
    return place;
  }

  // Is the operand a number, or a register that always holds one?
  [[nodiscard]] bool is_number(const StaticInstruction& instruction,
                               const PtxOperand& operand) const {
    if (operand.kind == OperandKind::kInteger) return true;
    return operand.kind == OperandKind::kRegister &&
           origins_[instruction.first_register + operand.index].base.kind == OperandKind::kInteger;
  }

 private:
  static NamedPlace origin_of(const StaticInstruction& instruction) {
    const std::span<const PtxOperand> operands = instruction.operands;
    const bool adds = instruction.is(Mnemonic::kAdd) && operands.size() == 3 &&
                      operands[2].kind == OperandKind::kInteger;
    const bool moves = (instruction.is(Mnemonic::kMov) || instruction.is(Mnemonic::kCvta)) &&
                       operands.size() == 2 && operands[0].kind == OperandKind::kRegister &&
                       operands[1].kind != OperandKind::kVector;
    if (!adds && !moves) return {};
    NamedPlace origin = place_of(instruction, operands[1]);
    if (adds) origin.distance += static_cast<std::int64_t>(operands[2].bits);
    return origin;
  }

  std::vector<NamedPlace> origins_;  // by register
  std::vector<std::uint32_t> times_set_;
};

// What becomes of the value of a load, followed from register to register without regard to the
// order of instructions. A comparison ends the way: what depends on its outcome is not followed.
struct ValueUse {
  std::vector<std::uint32_t> atomics;  // that take it as an operand
  bool kept = false;                   // stored, passed on or used as an address
};

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
      if (use.is(Mnemonic::kSetp) || use.is(Mnemonic::kBra)) continue;
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

// A swap that compares makes sure of what was loaded. Before any other atomic the value may decide
// whether that is worth it, and no more.
void find_rechecked(const Program& program, const NamedAddresses& addresses,
                    InstructionNotes& notes) {
  const auto& instructions = program.instructions();
  const auto place_of = [&](std::uint32_t i) { return addresses.resolve(instructions[i]); };
  std::map<NamedPlace, std::uint32_t> first_atomic;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].access == AccessKind::kAtomic) first_atomic.emplace(place_of(i), i);
  }
  if (first_atomic.empty()) return;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].access != AccessKind::kLoad) continue;
    const auto found = first_atomic.find(place_of(i));
    if (found == first_atomic.end() || i >= found->second) continue;
    const ValueUse use = follow_value(program, i);
    const auto here = [&](std::uint32_t atomic) { return place_of(atomic) == found->first; };
    const bool compared =
        std::any_of(use.atomics.begin(), use.atomics.end(), [&](std::uint32_t atomic) {
          return here(atomic) && instructions[atomic].has(Modifier::kCas);
        });
    const bool elsewhere = !std::all_of(use.atomics.begin(), use.atomics.end(), here);
    notes.of[i].rechecked = compared || (!use.kept && !elsewhere);
  }
}

using Update = InstructionNote::Update;
using Registers = std::unordered_set<std::uint32_t>;

constexpr std::uint32_t kFarthest = 256;  // instructions between the two halves

Update update_of(const StaticInstruction& instruction) {
  switch (instruction.operation) {
    case Operation::kAdd:
    case Operation::kSub:
    case Operation::kFma:
    case Operation::kMad:
      return Update::kAdd;
    case Operation::kMul:
    case Operation::kMul24:
    case Operation::kMulWide:
    case Operation::kDiv:
    case Operation::kShl:
    case Operation::kShr:
      return Update::kScale;
    case Operation::kMin:
      return Update::kMin;
    case Operation::kMax:
      return Update::kMax;
    case Operation::kOr:
      return Update::kOr;
    case Operation::kAnd:
      return Update::kAnd;
    case Operation::kXor:
      return Update::kXor;
    default:
      return Update::kOther;
  }
}

// Follows what was loaded down the instructions, as far as the store.
class UpdateFollower {
 public:
  UpdateFollower(const Program& program, std::uint32_t load)
      : program_(program), blocks_(program.implementation().code().blocks), load_(load) {
    const std::span<const std::uint32_t> loaded = program.instructions()[load].writes;
    values_.insert(loaded.begin(), loaded.end());
  }

  [[nodiscard]] Update find(std::uint32_t store) {
    for (std::uint32_t i = load_ + 1; i < store; ++i) step(program_.instructions()[i]);
    const StaticInstruction& last = program_.instructions()[store];
    if (takes_any(last, values_)) return changed_;
    const bool chosen = choices_.contains(last.guard) || last.basic_block < chosen_until_;
    if (!chosen) return Update::kNone;
    return takes_any(last, compared_) ? Update::kExtreme : Update::kChosen;
  }

 private:
  // Does it name one of them behind its first operand, that is, read it or store it?
  static bool takes_any(const StaticInstruction& instruction, const Registers& registers) {
    bool found = false;
    for_sources(instruction,
                [&](std::uint32_t number) { found = found || registers.contains(number); });
    return found;
  }
  template <class F>
  static void for_sources(const StaticInstruction& instruction, F f) {
    for (const PtxOperand& operand : instruction.operands.subspan(1)) {
      if (!operand.joined) instruction.for_registers(operand, f);
    }
  }

  void step(const StaticInstruction& instruction) {
    if (instruction.is(Mnemonic::kBra)) {
      const CodeBlock& block = blocks_[instruction.basic_block];
      if (choices_.contains(instruction.guard) && block.reconvergence != kNoBlock)
        chosen_until_ = std::max(chosen_until_, block.reconvergence);
      return;
    }
    const bool computes = instruction.operands.size() > 1 &&
                          instruction.operands[0].kind != OperandKind::kAddress;  // a store
    if (!computes) return;
    const bool takes = takes_any(instruction, values_);
    const bool decided = takes_any(instruction, choices_);
    const bool decides = instruction.is(Mnemonic::kSetp) || instruction.is(Mnemonic::kSet);
    if (decides && takes && !instruction.has(Modifier::kEq) && !instruction.has(Modifier::kNe)) {
      for_sources(instruction, [&](std::uint32_t number) { compared_.insert(number); });
    }
    for (const std::uint32_t written : instruction.writes) {
      values_.erase(written);
      choices_.erase(written);
      if (decides ? takes || decided : decided) choices_.insert(written);
      if (!takes || decides || instruction.access != AccessKind::kNone) continue;
      values_.insert(written);
      const bool moves = instruction.is(Mnemonic::kMov) || instruction.is(Mnemonic::kCvt) ||
                         instruction.is(Mnemonic::kSelp);
      if (!moves) changed_ = update_of(instruction);
    }
  }

  const Program& program_;
  const std::vector<CodeBlock>& blocks_;
  std::uint32_t load_;
  Registers values_;                // that hold what was made of it
  Registers compared_;              // that it was found larger or smaller than
  Registers choices_;               // predicates that depend on it
  std::uint32_t chosen_until_ = 0;  // block where those meet whom it parted
  Update changed_ = Update::kOther;
};

// An atomicExch whose result nobody uses is a store: it does not look at what was there.
bool swaps_blindly(const StaticInstruction& instruction, const InstructionNote& note) {
  return instruction.access == AccessKind::kAtomic && instruction.has(Modifier::kExch) &&
         !note.answers;
}

void note_updates(const Program& program, const NamedAddresses& addresses,
                  InstructionNotes& notes) {
  const auto& instructions = program.instructions();
  const auto place_of = [&](std::uint32_t i) { return addresses.resolve(instructions[i]); };
  std::multimap<NamedPlace, std::uint32_t> stores;  // of one place in the order of the text
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (notes.of[i].plain_store || swaps_blindly(instructions[i], notes.of[i]))
      stores.emplace(place_of(i), i);
  }
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].access != AccessKind::kLoad) continue;
    const auto [first, last] = stores.equal_range(place_of(i));
    const auto store =
        std::find_if(first, last, [&](const auto& entry) { return entry.second > i; });
    if (store == last || store->second - i > kFarthest) continue;
    const Update update = UpdateFollower(program, i).find(store->second);
    const bool swaps = instructions[store->second].access == AccessKind::kAtomic;
    if (update == Update::kNone || (swaps && update != Update::kExtreme)) continue;
    if (swaps) notes.of[i].rechecked = false;
    for (InstructionNote* note : {&notes.of[i], &notes.of[store->second]}) {
      note->update = update;
      note->update_load = notes.of[i].line;
      note->update_store = notes.of[store->second].line;
    }
    notes.of[i].partner = store->second;
  }
}

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

// Does any store, branch or the like depend on what the instruction writes?
bool decides_anything(const Program& program, std::uint32_t instruction) {
  const auto& instructions = program.instructions();
  std::vector<bool> reached(program.register_count(), false);
  for (const std::uint32_t r : instructions[instruction].writes) reached[r] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const StaticInstruction& each : instructions) {
      if (std::ranges::none_of(each.reads, [&](std::uint32_t r) { return reached[r]; })) continue;
      if (each.writes.empty() || each.access != AccessKind::kNone) return true;
      for (const std::uint32_t r : each.writes) {
        changed = changed || !reached[r];
        reached[r] = true;
      }
    }
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
      if (each.is(Mnemonic::kSetp) && takes(i)) return true;
      const bool takes_apart = each.is(Mnemonic::kMov) || each.is(Mnemonic::kShr) ||
                               each.is(Mnemonic::kAnd) || each.is(Mnemonic::kBfe) ||
                               each.is(Mnemonic::kCvt) || each.is(Mnemonic::kPrmt);
      if (!takes_apart || !takes(i)) continue;
      for (const std::uint32_t r : each.writes) {
        changed = changed || !reached[r];
        reached[r] = true;
      }
    }
  }
  return false;
}

// Strong stores to what a loop polls, as far as a parameter of the kernel says where both are.
void find_signals(const Program& program, InstructionNotes& notes) {
  const auto& instructions = program.instructions();
  const auto select = [&](auto matches) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
      if (is_global(instructions[i]) && matches(notes.of[i], instructions[i].access))
        found.push_back(i);
    }
    return found;
  };
  const std::vector<std::uint32_t> polls =
      select([](const InstructionNote& note, AccessKind) { return note.polls; });
  const std::vector<std::uint32_t> stores =
      select([](const InstructionNote& note, AccessKind access) {
        return note.strong && access == AccessKind::kStore;
      });
  if (polls.empty() || stores.empty()) return;
  std::unordered_set<std::uint32_t> polled;
  for (const AddressOrigin& origin : origins_of(program, polls))
    polled.insert(origin.parameters.begin(), origin.parameters.end());
  const std::vector<AddressOrigin> places = origins_of(program, stores);
  for (std::size_t s = 0; s < stores.size(); ++s) {
    notes.of[stores[s]].signals = std::ranges::any_of(
        places[s].parameters, [&](std::uint32_t offset) { return polled.contains(offset); });
  }
}

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
  if (!any(AccessKind::kStore) || !any(AccessKind::kLoad)) return;
  bool answers = false;
  bool kept = false;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    InstructionNote& note = notes.of[i];
    if (!note.strong || !is_global(instructions[i])) continue;
    if (instructions[i].access == AccessKind::kLoad && !note.polls && !note.rechecked) {
      const ValueUse use = follow_value(program, i);
      note.kept_volatile = (use.kept || !use.atomics.empty()) && !is_tested(program, i);
    }
    answers = answers || note.answers || note.polls;
    kept = kept || note.kept_volatile;
  }
  notes.volatile_tickets = answers && kept;
  if (notes.volatile_tickets) find_signals(program, notes);
}

// atomicCAS(&lock, 0, 1) or atomicExch(&lock, 1), whose result is looked at.
bool may_take_lock(const Program& program, std::uint32_t i, const NamedAddresses& addresses) {
  const StaticInstruction& instruction = program.instructions()[i];
  const bool swaps = instruction.has(Modifier::kCas) || instruction.has(Modifier::kExch);
  if (instruction.access != AccessKind::kAtomic || !swaps || instruction.loop == 0) return false;
  for (const PtxOperand& operand : instruction.operands.subspan(2)) {
    if (!addresses.is_number(instruction, operand)) return false;
  }
  return decides_anything(program, i);
}

// What lies between the atomic that takes a lock and the store or atomic that gives it back.
void note_locks(const Program& program, const NamedAddresses& addresses, InstructionNotes& notes) {
  const auto& instructions = program.instructions();
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (notes.of[i].of_block || !may_take_lock(program, i, addresses)) continue;
    const NamedPlace lock = addresses.resolve(instructions[i]);
    const auto end = static_cast<std::uint32_t>(
        std::min<std::size_t>(instructions.size(), std::size_t{i} + kFarthest));
    for (std::uint32_t back = i + 1; back < end; ++back) {
      const AccessKind access = instructions[back].access;
      if (access != AccessKind::kStore && access != AccessKind::kAtomic) continue;
      if (addresses.resolve(instructions[back]) != lock) continue;
      for (std::uint32_t held = i + 1; held < back; ++held) notes.of[held].lock = i + 1;
      break;
    }
  }
}

// while (*flag == 0); of a plain word: the compiler loads it once, and then goes round for ever.
void find_spins(const Program& program, InstructionNotes& notes) {
  const auto& instructions = program.instructions();
  const std::vector<CodeBlock>& blocks = program.implementation().code().blocks;
  const auto is_endless = [&](std::uint32_t block) {
    return block != kNoBlock && blocks[block].begin == blocks[block].end &&
           blocks[block].kind == EndKind::kBranch && blocks[block].last.guard == 0 &&
           blocks[block].target == block;
  };
  for (const CodeBlock& block : blocks) {
    const bool enters = block.kind == EndKind::kBranch && block.last.guard != 0 &&
                        (is_endless(block.target) || is_endless(block.next));
    if (!enters) continue;
    Registers deciding{instructions[block.last.instruction].guard};
    for (std::uint32_t i = block.last.instruction; i-- > 0;) {
      const StaticInstruction& each = instructions[i];
      if (instructions[block.last.instruction].basic_block != each.basic_block) break;
      if (std::ranges::none_of(each.writes, [&](std::uint32_t r) { return deciding.contains(r); }))
        continue;
      if (each.access == AccessKind::kLoad) {
        if (!notes.of[i].strong) notes.of[i].spins = block.last.instruction;
      } else {
        deciding.insert(each.reads.begin(), each.reads.end());
      }
    }
  }
}

}  // namespace

void note_values(const Program& program, InstructionNotes& notes) {
  const NamedAddresses addresses(program);
  for (std::uint32_t i = 0; i < notes.of.size(); ++i) {
    if (program.instructions()[i].access == AccessKind::kAtomic)
      notes.of[i].answers = is_used(program, i);
  }
  find_rechecked(program, addresses, notes);
  note_updates(program, addresses, notes);
  note_locks(program, addresses, notes);
  note_volatile_tickets(program, notes);
  find_spins(program, notes);
  for (std::uint32_t i = 0; i < notes.of.size(); ++i) {
    InstructionNote& note = notes.of[i];
    const bool tests = program.instructions()[i].synchronisation == Synchronisation::kWaitMbarrier;
    if (tests) note.ignores_answer = !decides_anything(program, i);
    const bool loads = program.instructions()[i].access == AccessKind::kLoad;
    notes.reads_flags |= tests || note.answers || (note.strong && loads);
  }
}

}  // namespace tilescope
