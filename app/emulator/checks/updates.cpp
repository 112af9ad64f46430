#include "emulator/checks/updates.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "emulator/checks/instruction_text.h"
#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

using Update = InstructionNote::Update;
using Names = std::unordered_set<std::string_view>;

constexpr std::uint32_t kFarthest = 256;  // instructions between the two halves

bool names_any(std::string_view text, const Names& names) {
  bool found = false;
  for_registers(text, [&](std::string_view name) { found = found || names.contains(name); });
  return found;
}

Update update_of(const InstructionParts& parts) {
  if (parts.is("add") || parts.is("sub") || parts.is("fma") || parts.is("mad")) return Update::kAdd;
  if (parts.is("min")) return Update::kMin;
  if (parts.is("max")) return Update::kMax;
  if (parts.is("or")) return Update::kOr;
  if (parts.is("and")) return Update::kAnd;
  if (parts.is("xor")) return Update::kXor;
  return Update::kOther;
}

// Follows what was loaded down the text, as far as the store.
class Follower {
 public:
  Follower(const Program& program, std::uint32_t load)
      : program_(program), blocks_(program.implementation().code().blocks), load_(load) {
    const InstructionParts parts = parts_of(program.instructions()[load].text);
    for_registers(parts.operands.substr(0, parts.operands.find('[')),
                  [&](std::string_view name) { values_.insert(name); });
  }

  [[nodiscard]] Update find(std::uint32_t store) {
    for (std::uint32_t i = load_ + 1; i < store; ++i) step(i);
    const StaticInstruction& last = program_.instructions()[store];
    const InstructionParts parts = parts_of(last.text);
    const std::string_view data = parts.operands.substr(parts.operands.find(']'));
    if (names_any(data, values_)) return changed_;
    const std::string_view guard = last.text.substr(0, last.text.find(parts.opcode));
    const bool chosen = names_any(guard, choices_) || last.basic_block < chosen_until_;
    if (!chosen) return Update::kNone;
    return names_any(data, compared_) ? Update::kExtreme : Update::kChosen;
  }

 private:
  void step(std::uint32_t i) {
    const StaticInstruction& instruction = program_.instructions()[i];
    const InstructionParts parts = parts_of(instruction.text);
    if (parts.is("bra")) {
      const CodeBlock& block = blocks_[instruction.basic_block];
      if (names_any(instruction.text, choices_) && block.reconvergence != kNoBlock)
        chosen_until_ = std::max(chosen_until_, block.reconvergence);
      return;
    }
    const std::string_view operands = parts.operands;
    if (operands.starts_with('[')) return;  // a store
    const std::size_t end = operands.starts_with('{') ? operands.find('}') : operands.find(',');
    if (end == std::string_view::npos) return;
    const std::string_view to = operands.substr(0, end);
    const bool takes = names_any(operands.substr(end), values_);
    const bool decided = names_any(operands.substr(end), choices_);
    const bool decides = parts.is("setp") || parts.is("set");
    if (decides && takes && !parts.has("eq") && !parts.has("ne")) {
      for_registers(operands.substr(end), [&](std::string_view name) { compared_.insert(name); });
    }
    for_registers(to, [&](std::string_view name) {
      values_.erase(name);
      choices_.erase(name);
      if (decides ? takes || decided : decided) choices_.insert(name);
      if (takes && !decides && instruction.access == AccessKind::kNone) {
        values_.insert(name);
        const bool moves = parts.is("mov") || parts.is("cvt") || parts.is("selp");
        if (!moves) changed_ = update_of(parts);
      }
    });
  }

  const Program& program_;
  const std::vector<CodeBlock>& blocks_;
  std::uint32_t load_;
  Names values_;                    // registers that hold what was made of it
  Names compared_;                  // registers that it was found larger or smaller than
  Names choices_;                   // predicates that depend on it
  std::uint32_t chosen_until_ = 0;  // block where those meet whom it parted
  Update changed_ = Update::kOther;
};

}  // namespace

void note_updates(const Program& program, const NamedAddresses& addresses,
                  InstructionNotes& notes) {
  using Key = std::pair<std::string_view, std::int64_t>;
  const auto& instructions = program.instructions();
  const auto place_of = [&](std::uint32_t i) {
    return addresses.resolve(address_text(parts_of(instructions[i].text)));
  };
  std::multimap<Key, std::uint32_t> stores;  // of one place in the order of the text
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (notes.of[i].plain_store) stores.emplace(place_of(i), i);
  }
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].access != AccessKind::kLoad) continue;
    const auto [first, last] = stores.equal_range(place_of(i));
    const auto store =
        std::find_if(first, last, [&](const auto& entry) { return entry.second > i; });
    if (store == last || store->second - i > kFarthest) continue;
    const Update update = Follower(program, i).find(store->second);
    if (update == Update::kNone) continue;
    for (InstructionNote* note : {&notes.of[i], &notes.of[store->second]}) {
      note->update = update;
      note->update_load = notes.of[i].line;
      note->update_store = notes.of[store->second].line;
    }
    notes.of[i].partner = store->second;
  }
}

const char* atomic_for(InstructionNote::Update update) {
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

}  // namespace tilescope
