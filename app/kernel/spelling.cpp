#include "kernel/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tilescope {
namespace {

constexpr std::size_t kLongestWord = 64;  // longer ones are not misspelt, they are something else

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Insertions, deletions, replacements and swaps of neighbours that make `to` of `from`.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1);  // the rows for two letters less, one less, this
  std::vector<std::size_t> above(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const bool same = lower(from[i - 1]) == lower(to[j - 1]);
      row[j] = std::min({above[j - 1] + (same ? 0 : 1), row[j - 1] + 1, above[j] + 1});
      const bool swapped = i > 1 && j > 1 && lower(from[i - 1]) == lower(to[j - 2]) &&
                           lower(from[i - 2]) == lower(to[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const std::string* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(1, std::min(word.size(), kLongestWord) / 3) + 1;
  for (const std::string& name : names) {
    if (word.size() > kLongestWord || name.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(word, name);
    if (distance < least) {
      least = distance;
      nearest = &name;
    }
  }
  if (nearest != nullptr) return fmt::format("Did you mean {}?", *nearest);
  return names.size() == 1 ? fmt::format("There is only {}", names.front())
                           : fmt::format("It is one of {}", fmt::join(names, ", "));
}

std::string join_with_or(const std::vector<std::string>& words) {
  if (words.empty()) return "nothing";
  if (words.size() == 1) return words.front();
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

}  // namespace tilescope
