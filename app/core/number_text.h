#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace tilescope {

// The number that the whole text is, as std::from_chars reads it: no blanks, no '+', no "0x".
// nullopt: the text is no number, has more behind it, or the number does not fit into T.
template <typename T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || rest != end) return std::nullopt;
  return value;
}

// The same to base 16, "1f".
template <std::integral T>
[[nodiscard]] std::optional<T> parse_hexadecimal(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value, 16);
  if (problem != std::errc{} || rest != end) return std::nullopt;
  return value;
}

}  // namespace tilescope
