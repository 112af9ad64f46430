#pragma once
#include <string>

#include "ui/drawing/sheet.h"

namespace tilescope {

// The ground of a kernel's row on the ladder. The active one is marked, and brought in sight where
// it was not before.
void draw_ladder_row(Sheet& sheet, const Rect& row, const std::string& id, bool active,
                     bool hovered);

// The user's own kernels, each to be opened, renamed or removed, and how to get another one. The y
// of the last row.
float draw_own_kernels(Sheet& sheet, float y);

}  // namespace tilescope
