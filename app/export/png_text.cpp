#include "export/png_text.h"

#include <zlib.h>

#include <cstdint>
#include <optional>

#include "export/utf8.h"

namespace tilescope {
namespace {

constexpr std::size_t kSignatureAndHeader = 8 + 25;

void put_number(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xffU);
}

// nullopt: a character is not of Latin-1.
std::optional<std::string> latin1(std::string_view utf8) {
  std::string text;
  for (std::size_t at = 0; at < utf8.size();) {
    const std::uint32_t code = next_code(utf8, at);
    if (code > 0xff) return std::nullopt;
    text += static_cast<char>(code);
  }
  return text;
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string content = std::string(type).append(data);
  std::string bytes;
  put_number(bytes, static_cast<std::uint32_t>(data.size()));
  bytes += content;
  const auto* begin = reinterpret_cast<const Bytef*>(content.data());
  put_number(bytes, static_cast<std::uint32_t>(crc32(0, begin, static_cast<uInt>(content.size()))));
  return bytes;
}

}  // namespace

std::string with_texts(std::string_view png,
                       std::span<const std::pair<std::string, std::string>> texts) {
  std::string result(png.substr(0, kSignatureAndHeader));
  for (const auto& [keyword, text] : texts) {
    if (const auto plain = latin1(text)) {
      result += chunk("tEXt", keyword + '\0' + *plain);
    } else {  // not compressed, no language, no translated keyword
      result += chunk("iTXt", keyword + std::string(5, '\0') + text);
    }
  }
  return result.append(png.substr(kSignatureAndHeader));
}

}  // namespace tilescope
