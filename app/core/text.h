#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// "a", "a and b", "a, b and c".
[[nodiscard]] std::string joined(const std::vector<std::string>& words,
                                 std::string_view last = " and ");

// Without the spaces, tabs and carriage returns at both ends.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Whether the text begins with the prefix, which is then taken off.
constexpr bool consume_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// The words of a line as a shell takes them: quotes hold a word together, a backslash takes the
// next character as it is; nothing else is special.
[[nodiscard]] std::vector<std::string> shell_words(std::string_view line);

// The text with a '?' for each byte that belongs to no character of UTF-8 (RFC 3629), as in files
// of older encodings. Lines and columns stay where they are.
[[nodiscard]] std::string valid_utf8(std::string text);

// Bytes of the character at `at` where it is one of Chinese or Japanese, or of their punctuation,
// which stand without blanks between words; else 0.
[[nodiscard]] std::size_t wide_character(std::string_view text, std::size_t at);
// Whether a line may end between the wide character before `at` and what stands there: not before
// a comma, a full stop or a closing bracket, not behind an opening one.
[[nodiscard]] bool breaks_before(std::string_view text, std::size_t at);

// What to tell a person who wrote a name that does not exist: "Did you mean TILE_M?" where one of
// the names is near (case set aside, at most a third of the letters wrong), else "It is one of A,
// B, C". Of more than twelve names "The nearest of 66 are A, B and C", and then `listing`, which
// tells how to see all of them: "'tilescope list' shows all".
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& names,
                                       std::string_view listing = {});
inline constexpr std::string_view kListsKernels = "'tilescope list' shows all";

// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

// In single quotes, as shell_words() and a shell read it back.
[[nodiscard]] std::string shell_quoted(std::string_view word);

[[nodiscard]] constexpr bool is_one_of(std::string_view word,
                                       std::span<const std::string_view> words) {
  for (const std::string_view each : words)
    if (each == word) return true;
  return false;
}

}  // namespace tilescope
