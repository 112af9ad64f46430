#include "emulator/checks/same_address.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/checks/instruction_text.h"
#include "emulator/register_use.h"

namespace tilescope {
namespace {

// A register's value as another register and a distance, where it is set once, by a move or by
// adding a constant.
class Addresses {
 public:
  explicit Addresses(const Program& program) {
    for (const StaticInstruction& instruction : program.instructions()) {
      const InstructionParts parts = parts_of(instruction.text);
      std::vector<std::string_view> words = split(parts.operands);
      if (words.empty() || !words[0].starts_with('%')) continue;
      Origin origin;
      const bool adds = parts.is("add") && words.size() == 3 && is_number(words[2]);
      const bool moves = (parts.is("mov") || parts.is("cvta")) && words.size() == 2;
      if (adds || moves) {
        origin.base = words[1];
        origin.distance = adds ? number(words[2]) : 0;
      }
      const auto [entry, added] = origins_.emplace(words[0], origin);
      if (!added) entry->second = {};  // set twice: stands for itself
    }
  }

  // "[%rd4+8]" as a base and a distance; an empty base: no address.
  [[nodiscard]] std::pair<std::string_view, std::int64_t> resolve(std::string_view address) const {
    if (address.size() < 3) return {};
    address = address.substr(1, address.size() - 2);
    std::int64_t distance = 0;
    const std::size_t sign = address.find_first_of("+-", 1);
    if (sign != std::string_view::npos) {
      distance = number(address.substr(sign + (address[sign] == '+' ? 1 : 0)));
      address = address.substr(0, sign);
    }
    for (int steps = 0; steps < 16; ++steps) {
      const auto found = origins_.find(address);
      if (found == origins_.end() || found->second.base.empty()) break;
      address = found->second.base;
      distance += found->second.distance;
    }
    return {address, distance};
  }

 private:
  struct Origin {
    std::string_view base;
    std::int64_t distance = 0;
  };
  static std::vector<std::string_view> split(std::string_view operands) {
    std::vector<std::string_view> words;
    while (!operands.empty()) {
      const std::size_t end = operands.find_first_of(",;");
      std::string_view word = operands.substr(0, end);
      while (!word.empty() && is_space(word.front())) word.remove_prefix(1);
      while (!word.empty() && is_space(word.back())) word.remove_suffix(1);
      if (!word.empty()) words.push_back(word);
      if (end == std::string_view::npos) break;
      operands.remove_prefix(end + 1);
    }
    return words;
  }
  static bool is_number(std::string_view word) {
    return !word.empty() && (word[0] == '-' || (word[0] >= '0' && word[0] <= '9'));
  }
  static std::int64_t number(std::string_view word) {
    std::int64_t value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
  }

  std::unordered_map<std::string_view, Origin> origins_;
};

// What becomes of the value of a load, followed from register to register without regard to the
// order of instructions. A comparison ends the way: what depends on its outcome is not followed.
struct ValueUse {
  std::vector<std::uint32_t> atomics;  // that take it as an operand
  bool kept = false;                   // stored, passed on or used as an address
};

ValueUse follow_value(const Program& program, const RegisterUses& uses, std::uint32_t load) {
  const auto& instructions = program.instructions();
  std::vector<bool> reached(uses.registers, false);
  for (const std::uint32_t r : uses.by_instruction[load].writes) reached[r] = true;
  ValueUse result;
  std::vector<bool> seen(instructions.size(), false);
  seen[load] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
      const RegisterUse& use = uses.by_instruction[i];
      if (seen[i] || std::none_of(use.reads.begin(), use.reads.end(),
                                  [&](std::uint32_t r) { return reached[r]; }))
        continue;
      seen[i] = true;
      const InstructionParts parts = parts_of(instructions[i].text);
      if (parts.is("setp") || parts.is("bra")) continue;
      if (instructions[i].access == AccessKind::kAtomic) {
        result.atomics.push_back(i);
      } else if (instructions[i].access != AccessKind::kNone || use.writes.empty()) {
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
void find_rechecked(const Program& program, const Addresses& addresses, InstructionNotes& notes) {
  using Place = std::pair<std::string_view, std::int64_t>;
  const auto& instructions = program.instructions();
  const auto place_of = [&](std::uint32_t i) {
    return addresses.resolve(address_text(parts_of(instructions[i].text)));
  };
  std::map<Place, std::uint32_t> first_atomic;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].access == AccessKind::kAtomic) first_atomic.emplace(place_of(i), i);
  }
  if (first_atomic.empty()) return;
  std::optional<RegisterUses> uses;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].access != AccessKind::kLoad) continue;
    const auto found = first_atomic.find(place_of(i));
    if (found == first_atomic.end() || i >= found->second) continue;
    if (!uses) {
      Result<RegisterUses> decoded = register_uses(program);
      if (!decoded) return;
      uses = *std::move(decoded);
    }
    const ValueUse use = follow_value(program, *uses, i);
    const auto here = [&](std::uint32_t atomic) { return place_of(atomic) == found->first; };
    const bool compared =
        std::any_of(use.atomics.begin(), use.atomics.end(), [&](std::uint32_t atomic) {
          return here(atomic) && parts_of(instructions[atomic].text).has("cas");
        });
    const bool elsewhere = !std::all_of(use.atomics.begin(), use.atomics.end(), here);
    notes.of[i].rechecked = compared || (!use.kept && !elsewhere);
  }
}

void find_updates(const Program& program, const Addresses& addresses, InstructionNotes& notes) {
  using Place = std::tuple<std::uint32_t, std::string_view, std::int64_t>;
  const auto& instructions = program.instructions();
  const auto place_of = [&](std::uint32_t i) {
    const auto [base, distance] = addresses.resolve(address_text(parts_of(instructions[i].text)));
    return Place{notes.of[i].line, base, distance};
  };
  std::multimap<Place, std::uint32_t> stores;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (notes.of[i].plain_store) stores.emplace(place_of(i), i);
  }
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].access != AccessKind::kLoad) continue;
    const auto [first, last] = stores.equal_range(place_of(i));
    for (auto store = first; store != last; ++store) {
      notes.of[i].updates = notes.of[store->second].updates = true;
    }
  }
}

}  // namespace

void note_same_addresses(const Program& program, InstructionNotes& notes) {
  const Addresses addresses(program);
  find_rechecked(program, addresses, notes);
  find_updates(program, addresses, notes);
}

}  // namespace tilescope
