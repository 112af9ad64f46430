#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "scene/drawing/canvas.h"

namespace tilescope {

enum class Theme : std::uint8_t { kDark, kLight, kPaper };
[[nodiscard]] std::optional<Theme> parse_theme(std::string_view name);  // "dark" "light" "paper"
[[nodiscard]] std::string_view name_of(Theme theme);

struct Rgba {  // 0..1, not premultiplied, sRGB
  float r = 0;
  float g = 0;
  float b = 0;
  float a = 1;
};
// The one table from meaning to colour.
[[nodiscard]] Rgba colour(Paint paint, Theme theme);

// A cell of a CellGrid: its tint, faint, when untouched (heat 0), else inferno from least to most.
// Every canvas colours its cells by this table alone.
[[nodiscard]] Paint cell_paint(std::uint8_t heat);  // heat from 1
[[nodiscard]] Rgba cell_colour(std::uint8_t heat, ColourRole tint, Theme theme);

// The text colour that reads best on top of `paint`.
[[nodiscard]] Paint text_on(Paint paint, Theme theme);

}  // namespace tilescope
