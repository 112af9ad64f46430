#include "kernel/source/ptx_place.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "kernel/source/device_source.h"

namespace tilescope {
namespace {

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

std::string with_given_name(std::string ptx, const std::string& name) {
  const std::string whole = plain_name(name) + "\"";
  const std::string ending = "/" + whole;
  for (std::size_t at = ptx.find(".file"); at != std::string::npos;
       at = ptx.find(".file", at + 1)) {
    const std::size_t open = ptx.find('"', at);
    const std::size_t close = open == std::string::npos ? open : ptx.find('"', open + 1);
    if (close == std::string::npos) break;
    const std::string_view path = std::string_view(ptx).substr(open + 1, close - open);
    if (path == whole || path.ends_with(ending)) {
      ptx.replace(open + 1, close - open - 1, escaped_name(name));
    }
  }
  return ptx;
}

}  // namespace tilescope
