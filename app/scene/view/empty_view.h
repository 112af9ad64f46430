#pragma once

#include <span>
#include <string>
#include <string_view>

#include "scene/drawing/pen.h"

namespace tilescope {

// What a click on a button in an empty view does: a hit of kind kAction, by its name.
struct Offer {
  std::string words;
  std::string action;
  std::string tooltip;
};
// Buttons below each other about the middle of `area`; none on paper.
void draw_offers(Pen& pen, const Rect& area, std::span<const Offer> offers);

// What a view shows instead of a picture: what is missing and what would fill it.
void draw_empty(Pen& pen, const Rect& area, std::string_view what, std::string_view remedy);

}  // namespace tilescope
