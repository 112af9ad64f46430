#include "ptx/modifiers.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>

namespace tilescope {
namespace {

// Of wgmma: m64n8k16 ... m64n256k256, which its decoder reads.
constexpr std::string_view kWarpgroupShape = "m64nNkK";

constexpr std::array kWords{
#define MODIFIER(name, word) std::string_view(word),
#include "ptx/modifier_words.inc"
#undef MODIFIER
};
static_assert(kWords.size() == static_cast<std::size_t>(Modifier::kCount));

const std::unordered_map<std::string_view, Modifier>& words() {
  static const std::unordered_map<std::string_view, Modifier> map = [] {
    std::unordered_map<std::string_view, Modifier> built;
    for (std::size_t i = 0; i < kWords.size(); ++i) built[kWords[i]] = static_cast<Modifier>(i);
    return built;
  }();
  return map;
}

}  // namespace

std::string_view name_of(Modifier modifier) { return kWords[static_cast<std::size_t>(modifier)]; }

std::optional<Modifier> parse_modifier(std::string_view word) {
  if (word.starts_with("m64n")) word = kWarpgroupShape;
  const auto found = words().find(word);
  if (found == words().end()) return std::nullopt;
  return found->second;
}

std::optional<Modifiers> parse_modifiers(std::string_view suffix, std::string_view* unknown) {
  Modifiers modifiers;
  while (!suffix.empty()) {
    suffix.remove_prefix(1);  // the dot
    const std::size_t end = std::min(suffix.find('.'), suffix.size());
    const std::string_view word = suffix.substr(0, end);
    suffix.remove_prefix(end);
    if (const auto type = parse_data_type(word)) {
      if (modifiers.type_count == modifiers.types.size()) {
        *unknown = word;
        return std::nullopt;
      }
      modifiers.types[modifiers.type_count++] = *type;
    } else if (const auto modifier = parse_modifier(word)) {
      modifiers.set.set(static_cast<std::size_t>(*modifier));
    } else {
      *unknown = word;
      return std::nullopt;
    }
  }
  return modifiers;
}

ModifierSet modifier_set(std::string_view words_text) {
  ModifierSet set;
  while (!words_text.empty()) {
    const std::size_t end = std::min(words_text.find(' '), words_text.size());
    const auto modifier = parse_modifier(words_text.substr(0, end));
    assert(modifier.has_value());
    if (modifier) set.set(static_cast<std::size_t>(*modifier));
    words_text.remove_prefix(std::min(end + 1, words_text.size()));
  }
  return set;
}

}  // namespace tilescope
