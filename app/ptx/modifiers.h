#pragma once
#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/data_type.h"

namespace tilescope {

// The words of modifier_words.inc.
enum class Modifier : std::uint8_t {
#define MODIFIER(name, word) name,
#include "ptx/modifier_words.inc"
#undef MODIFIER
  kCount,
};

using ModifierSet = std::bitset<static_cast<std::size_t>(Modifier::kCount)>;

// What stands after the mnemonic, taken apart.
struct Modifiers {
  ModifierSet set;
  std::array<DataType, 4> types{};
  unsigned type_count = 0;

  [[nodiscard]] bool has(Modifier modifier) const {
    return set[static_cast<std::size_t>(modifier)];
  }
  [[nodiscard]] DataType type(unsigned index) const {
    return index < type_count ? types[index] : DataType::kNone;
  }
  [[nodiscard]] DataType last_type() const {
    return type_count == 0 ? DataType::kNone : types[type_count - 1];
  }
  [[nodiscard]] bool has_type(DataType type) const {
    return std::find(types.begin(), types.begin() + type_count, type) != types.begin() + type_count;
  }
};

[[nodiscard]] std::string_view name_of(Modifier modifier);
[[nodiscard]] std::optional<Modifier> parse_modifier(std::string_view word);

// ".lo.s32" -> {lo}, {s32}. On an unknown word, or a fifth type, `unknown` names it.
[[nodiscard]] std::optional<Modifiers> parse_modifiers(std::string_view suffix,
                                                       std::string_view* unknown);

// "rn rz ftz" -> the set. Precondition: every word is a modifier.
[[nodiscard]] ModifierSet modifier_set(std::string_view words);

}  // namespace tilescope
