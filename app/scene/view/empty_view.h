#pragma once

#include <span>
#include <string>
#include <string_view>

#include "scene/drawing/pen.h"

namespace tilescope {

// A button in an empty view.
struct Offer {
  std::string words;
  Hit hit;  // what a click does, and why one would
};
// Buttons below each other about the middle of `area`; none on paper.
void draw_offers(Pen& pen, const Rect& area, std::span<const Offer> offers);

// Width and height of a figure, px at a text scale of 1.
struct FigureSize {
  float width = 0;
  float height = 0;
};
// Whether `area` holds a figure that needs `least` at the pen's text scale. Where it does not, says
// so in the figure's place, in as many words as fit.
[[nodiscard]] bool has_room(Pen& pen, const Rect& area, FigureSize least);

// What a view shows instead of a picture: what is missing and what would fill it.
void draw_empty(Pen& pen, const Rect& area, std::string_view what, std::string_view remedy);

}  // namespace tilescope
