#pragma once
#include "ui/drawing/sheet.h"

namespace tilescope {

// "4 findings" at the end of a sentence's first line, which ends at `edge`: the source that shows
// them may be a tab behind, and not there at all in a lecture. A click leads to the next one.
// Returns where the sentence must end.
float draw_findings(Sheet& sheet, float edge, float y, float size);

// The error that stands in the way of a picture, the compiler's others as far as there is room, and
// the way to the first line. Precondition: the variant has an error.
void draw_error(Sheet& sheet, const Variant& variant, const Rect& area);

}  // namespace tilescope
