#pragma once
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "kernel/json_document.h"

namespace tilescope {

// Values of a session file, each within its bounds. What stands in `to` is the default: it stays
// where the node does not exist or holds a mistake.

inline void read(const JsonDocument::Node& node, bool& to) {
  if (node.exists()) to = node.boolean();
}

template <typename Number>
void read_whole(const JsonDocument::Node& node, Number& to, std::int64_t least, std::int64_t most) {
  if (!node.exists()) return;
  const std::int64_t value = node.integer();
  if (value < least || value > most) {
    node.fail(fmt::format("{} lies outside {} to {}", value, least, most));
    return;
  }
  to = static_cast<Number>(value);
}

template <typename Number>
void read_real(const JsonDocument::Node& node, Number& to, double least, double most) {
  if (!node.exists()) return;
  const double value = node.number();
  if (!std::isfinite(value) || value < least || value > most) {
    node.fail(fmt::format("{} lies outside {} to {}", value, least, most));
    return;
  }
  to = static_cast<Number>(value);
}

// Empty where it does not exist.
[[nodiscard]] inline std::string read_text(const JsonDocument::Node& node, std::size_t most_bytes) {
  if (!node.exists()) return "";
  std::string text = node.text();
  if (text.size() > most_bytes) {
    node.fail(fmt::format("the text has {} bytes, at most {} are taken", text.size(), most_bytes));
    return "";
  }
  return text;
}

inline constexpr std::size_t kMostWordBytes = 4096;
[[nodiscard]] inline std::string read_word(const JsonDocument::Node& node) {
  return read_text(node, kMostWordBytes);
}

}  // namespace tilescope
