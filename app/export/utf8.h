#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilescope {

// The code point that starts at `at`, which moves behind it. What is not UTF-8 gives U+FFFD, byte
// by byte.
[[nodiscard]] inline std::uint32_t next_code(std::string_view text, std::size_t& at) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : -1;
  if (more < 0) return kReplacement;
  std::uint32_t code = first & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) {
    if (at >= text.size() || (byte(at) & 0xC0u) != 0x80) return kReplacement;
    code = code << 6 | (byte(at++) & 0x3Fu);
  }
  return code;
}

}  // namespace tilescope
