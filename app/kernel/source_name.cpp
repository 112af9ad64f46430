#include "kernel/source_name.h"

#include <fmt/format.h>

#include "ptx/place.h"

namespace tilescope {
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool harmless = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '%';
    plain += harmless ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return plain;
}

std::string renamed(std::string text, std::string_view name, std::string_view by) {
  if (name.empty() || name == by) return text;
  for (std::size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + by.size())) {
    text.replace(at, name.size(), by);
  }
  return text;
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
