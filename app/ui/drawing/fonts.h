#pragma once

#include <array>
#include <string_view>

#include "core/result.h"
#include "scene/drawing/canvas.h"

struct ImFont;

namespace tilescope {

// The faces of the interface: Inter in four weights, each once with its own figures and once with
// figures of one width (for numbers in columns), and JetBrains Mono. Sizes are px of the em square,
// as on paper: a size of 13 is 13 px at scale 1.
class Fonts {
 public:
  // Reads the files into ImGui's atlas; glyphs are drawn when they are first needed, at any size.
  // Fails naming the package that is missing.
  [[nodiscard]] static Result<Fonts> load();

  [[nodiscard]] ImFont* text(Weight weight) const { return text_[index(weight)]; }
  [[nodiscard]] ImFont* figures(Weight weight) const { return figures_[index(weight)]; }
  [[nodiscard]] ImFont* mono(Weight weight) const { return mono_[index(weight)]; }
  // Whether the system has a font with Chinese and Japanese characters: text() then has them, too.
  [[nodiscard]] bool has_wide_characters() const { return has_wide_characters_; }
  // Right-aligned text stands in columns, so it takes the figures of one width.
  [[nodiscard]] ImFont* of(const TextStyle& style) const;

 private:
  static constexpr std::size_t index(Weight weight) { return static_cast<std::size_t>(weight); }
  std::array<ImFont*, 4> text_{};
  std::array<ImFont*, 4> figures_{};
  std::array<ImFont*, 4> mono_{};
  bool has_wide_characters_ = false;
};

// Where a text's box starts so that its letters stand around `center` (both in px).
[[nodiscard]] float top_of_text(float center, float size);

}  // namespace tilescope
