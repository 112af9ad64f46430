#include "emulator/checks/same_address.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/checks/instruction_text.h"
#include "emulator/checks/named_address.h"
#include "emulator/checks/updates.h"
#include "emulator/checks/value_use.h"

namespace tilescope {
namespace {

// A swap that compares makes sure of what was loaded. Before any other atomic the value may decide
// whether that is worth it, and no more.
void find_rechecked(const Program& program, const NamedAddresses& addresses,
                    InstructionNotes& notes) {
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

}  // namespace

void note_same_addresses(const Program& program, InstructionNotes& notes) {
  const NamedAddresses addresses(program);
  find_rechecked(program, addresses, notes);
  note_updates(program, addresses, notes);
}

}  // namespace tilescope
