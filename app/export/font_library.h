#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "scene/drawing/canvas.h"

struct FT_FaceRec_;

namespace tilescope {

// The program's two families, read by FreeType from their files: Inter (fonts-inter) and JetBrains
// Mono (fonts-jetbrains-mono). Searched in $TILESCOPE_FONTS, assets/fonts and where Debian puts
// them. Without the files, widths are estimated and drawing falls back to the system's sans and
// mono. One thread at a time.
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

}  // namespace tilescope
