#include "core/valid_utf8.h"

#include <cstddef>
#include <cstdint>

namespace tilescope {
namespace {

// Bytes of the character that begins at `at`; 0: none does.
std::size_t character_bytes(const std::string& text, std::size_t at) {
  const auto first = static_cast<std::uint8_t>(text[at]);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xc2 && first < 0xe0   ? 2
                            : first >= 0xe0 && first < 0xf0 ? 3
                            : first >= 0xf0 && first < 0xf5 ? 4
                                                            : 0;
  if (bytes == 0 || at + bytes > text.size()) return 0;
  std::uint32_t code = first & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<std::uint8_t>(text[at + i]);
    if ((next & 0xc0u) != 0x80) return 0;
    code = code << 6 | (next & 0x3fu);
  }
  const bool too_long = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return too_long || surrogate || code > 0x10ffff ? 0 : bytes;
}

}  // namespace

std::string valid_utf8(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_bytes(text, at);
    if (bytes == 0) text[at] = '?';
    at += bytes == 0 ? 1 : bytes;
  }
  return text;
}

}  // namespace tilescope
