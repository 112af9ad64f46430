#include "ptx/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

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

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

// The number that the text begins with, behind blanks, and takes it off; 0 where there is none.
int take_number(std::string_view* text) {
  *text = without_blanks(*text);
  int value = 0;
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (failure != std::errc{}) return 0;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return value;
}

}  // namespace

Place source_place(std::string_view ptx, int line) {
  std::map<int, std::string> files;
  int file = 0;
  Place place;
  int number = 0;
  for (std::size_t at = 0; at < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
    std::string_view text = without_blanks(ptx.substr(at, end - at));
    at = end + 1;
    ++number;
    if (text.starts_with(".file")) {  // often behind all functions
      text.remove_prefix(5);
      const int index = take_number(&text);
      const std::size_t open = text.find('"');
      const std::size_t close = text.find('"', open + 1);
      if (open == std::string_view::npos || close == std::string_view::npos) continue;
      files[index] = unescaped_name(text.substr(open + 1, close - open - 1));
    }
    if (number >= line) continue;
    if (text.find(".entry ") != std::string_view::npos ||
        text.find(".func ") != std::string_view::npos) {
      file = 0;
      place = {};
    } else if (text.starts_with(".loc")) {
      text.remove_prefix(4);
      file = take_number(&text);
      place.line = take_number(&text);
    }
  }
  place.file = files[file];
  return place.file.empty() ? Place{} : place;
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

}  // namespace tilescope
