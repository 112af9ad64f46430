#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "scene/drawing/canvas.h"

struct FT_FaceRec_;

namespace tilescope {

// The name of the file of one of the program's two families: Inter (Debian's fonts-inter) and
// JetBrains Mono (fonts-jetbrains-mono).
[[nodiscard]] std::string font_file_name(Font font, Weight weight);
// Where it is: in $TILESCOPE_FONTS, assets/fonts or where Debian puts it. Empty: nowhere.
[[nodiscard]] std::filesystem::path font_file(Font font, Weight weight);

// Both families, read by FreeType from their files. Without the files, widths are estimated and
// drawing falls back to the system's sans and mono. One thread at a time.
class FontLibrary {
 public:
  FontLibrary();
  ~FontLibrary();
  FontLibrary(const FontLibrary&) = delete;
  FontLibrary& operator=(const FontLibrary&) = delete;

  // Advance widths without kerning, as the window sets its text too.
  [[nodiscard]] float text_width(std::string_view utf8, const TextStyle& style) const;
  // nullptr when the file was not found.
  [[nodiscard]] FT_FaceRec_* face(Font font, Weight weight) const;
  // Keeps the faces open for as long as it lives: Cairo's caches outlast a canvas.
  [[nodiscard]] std::shared_ptr<const void> keep_open() const;
  [[nodiscard]] bool complete() const;  // all eight files were found

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Distance from a text's vertical centre down to its baseline, in units of its size: half a
// capital.
inline constexpr float kHalfCapital = 0.36f;

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
