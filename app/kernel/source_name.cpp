#include "kernel/source_name.h"

#include <fmt/format.h>

namespace tilescope {
namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

char escape_of(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    default:
      return letter;  // \" and backslash, of which each stands for itself
  }
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool harmless = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '%';
    plain += harmless ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return plain;
}

std::string escaped_name(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if ((c >= 0 && c < ' ') || c == 0x7f) {
      text += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  return text;
}

std::string unescaped_name(std::string_view text) {
  std::string name;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      name += text[at];
      continue;
    }
    ++at;
    if (!is_octal(text[at])) {
      name += escape_of(text[at]);
      continue;
    }
    unsigned value = 0;
    std::size_t digits = 0;
    for (; digits < 3 && at + digits < text.size() && is_octal(text[at + digits]); ++digits) {
      value = value * 8 + static_cast<unsigned>(text[at + digits] - '0');
    }
    at += digits - 1;
    name += static_cast<char>(value & 0xffU);
  }
  return name;
}

std::string renamed(std::string text, std::string_view name, std::string_view by) {
  if (name.empty() || name == by) return text;
  for (std::size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + by.size())) {
    text.replace(at, name.size(), by);
  }
  return text;
}

}  // namespace tilescope
