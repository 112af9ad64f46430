#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

namespace tilescope {

std::string joined(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? std::string(last) : ", ";
    text += words[i];
  }
  return text;
}

std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (quote == '\0' && is_blank) {
      in_word = false;
      continue;
    }
    if (!std::exchange(in_word, true)) words.emplace_back();
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

namespace {

// Bytes of the character that begins at `at`; 0: none does.
std::size_t character_bytes(const std::string& text, std::size_t at) {
  const auto first = static_cast<std::uint8_t>(text[at]);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xc2 && first < 0xe0   ? 2
                            : first >= 0xe0 && first < 0xf0 ? 3
                            : first >= 0xf0 && first < 0xf5 ? 4
                                                            : 0;
  if (bytes == 0 || at + bytes > text.size()) return 0;
  std::uint32_t code = first & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<std::uint8_t>(text[at + i]);
    if ((next & 0xc0u) != 0x80) return 0;
    code = code << 6 | (next & 0x3fu);
  }
  const bool too_long = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return too_long || surrogate || code > 0x10ffff ? 0 : bytes;
}

}  // namespace

std::string valid_utf8(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_bytes(text, at);
    if (bytes == 0) text[at] = '?';
    at += bytes == 0 ? 1 : bytes;
  }
  return text;
}

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

namespace {

constexpr std::size_t kMostNamed = 12;    // names that a sentence lists
constexpr std::size_t kNearestNamed = 3;  // of more than that

// The names that share most with the word: first those that begin as it does.
std::vector<std::string> nearest_of(std::string_view word, std::vector<std::string> names) {
  const auto apart = [&](const std::string& name) {
    const auto [in_word, in_name] =
        std::ranges::mismatch(word, name, [](char a, char b) { return lower(a) == lower(b); });
    const auto alike = static_cast<std::size_t>(in_word - word.begin());
    return std::pair(word.size() - alike, edit_distance(word.substr(0, kLongestWord), name));
  };
  const auto count = static_cast<std::ptrdiff_t>(std::min(names.size(), kNearestNamed));
  std::ranges::partial_sort(names, names.begin() + count, {}, apart);
  names.resize(static_cast<std::size_t>(count));
  return names;
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names,
                         std::string_view listing) {
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
  if (names.size() == 1) return fmt::format("There is only {}", names.front());
  if (names.size() <= kMostNamed) {
    return fmt::format("It is one of {}", fmt::join(names, ", "));
  }
  return fmt::format("The nearest of {} are {}{}{}", names.size(),
                     joined(nearest_of(word, names), " and "), listing.empty() ? "" : "; ",
                     listing);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string shell_quoted(std::string_view word) {
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? "'\\''" : std::string(1, letter);
  return text + "'";
}

std::size_t wide_character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (at + 3 > text.size() || byte(at) < 0xE2 || byte(at) > 0xEF) return 0;
  const unsigned code =
      (byte(at) & 0x0FU) << 12 | (byte(at + 1) & 0x3FU) << 6 | (byte(at + 2) & 0x3FU);
  const bool is_wide = (code >= 0x2E80 && code <= 0x9FFF) || (code >= 0xF900 && code <= 0xFAFF) ||
                       (code >= 0xFF00 && code <= 0xFFEF);
  return is_wide ? 3 : 0;
}

bool breaks_before(std::string_view text, std::size_t at) {
  static constexpr std::string_view kClosing[] = {"，", "。", "、", "：", "；", "！",
                                                  "？", "）", "》", "」", "”"};
  for (const std::string_view sign : kClosing) {
    if (text.substr(at).starts_with(sign)) return false;
  }
  static constexpr std::string_view kOpening[] = {"（", "《", "「", "“"};
  for (const std::string_view sign : kOpening) {
    if (text.substr(0, at).ends_with(sign)) return false;
  }
  return true;
}

}  // namespace tilescope
