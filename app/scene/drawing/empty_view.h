#pragma once
#include <string_view>

#include "scene/drawing/pen.h"

namespace tilescope {

// What a view shows instead of a picture: what is missing and what would fill it.
void draw_empty(Pen& pen, const Rect& area, std::string_view what, std::string_view remedy);

}  // namespace tilescope
