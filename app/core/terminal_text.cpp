#include "core/terminal_text.h"

#include <fmt/format.h>

#include <cstddef>

namespace tilescope {

std::string without_controls(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    // U+0080 to U+009F are controls, too.
    const bool is_second = byte >= 0x80 && byte < 0xa0 && at > 0 && text[at - 1] == '\xc2';
    const bool is_control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
    if (is_second) shown.pop_back();
    if (is_second || is_control) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += text[at];
    }
  }
  return shown;
}

}  // namespace tilescope
