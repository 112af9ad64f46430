#pragma once
#include "ui/drawing/sheet.h"

namespace tilescope {

// A tab for each variant in the top bar, from x to `right` at most, and one that adds another.
// Returns where the tabs end.
float draw_variant_tabs(Sheet& sheet, float x, float right);

}  // namespace tilescope
