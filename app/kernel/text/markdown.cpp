#include "kernel/text/markdown.h"

#include <cstddef>

namespace tilescope {
namespace {

constexpr std::string_view kFence = "```";

// The line at `at` without its end.
std::string_view line_at(std::string_view text, std::size_t at) {
  return text.substr(at, text.find('\n', at) - at);
}

}  // namespace

bool is_fenced(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text.substr(first).starts_with(kFence);
}

std::string without_fences(std::string_view text) {
  std::string code;
  bool is_inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = line_at(text, at);
    const std::size_t word = line.find_first_not_of(" \t");
    if (word != std::string_view::npos && line.substr(word).starts_with(kFence)) {
      is_inside = !is_inside;
    } else if (is_inside) {
      code += line;
    }
    at += line.size();
    if (at < text.size()) code += text[at++];
  }
  return code;
}

}  // namespace tilescope
