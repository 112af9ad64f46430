#include "export/xml_text.h"

#include "export/utf8.h"

namespace tilescope {
namespace {

// https://www.w3.org/TR/xml/#charsets; surrogates are no characters either.
bool is_allowed(std::uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code >= 0x10000 && code <= 0x10ffff);
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::uint32_t code = next_code(text, at);
    if (code == '&') {
      result += "&amp;";
    } else if (code == '<') {
      result += "&lt;";
    } else if (code == '>') {
      result += "&gt;";
    } else if (code == 0xfffd || !is_allowed(code)) {
      result += "\xEF\xBF\xBD";
    } else {
      result += text.substr(begin, at - begin);
    }
  }
  return result;
}

}  // namespace tilescope
