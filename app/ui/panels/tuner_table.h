#pragma once
#include "ui/drawing/sheet.h"

namespace tilescope {

inline constexpr float kTunerRow = 22;  // units, of the tuner's tables and choices

// What the tuner has tried, the fastest first; a click sets a row's parameters. Returns the y
// below. Precondition: it was started.
float draw_tuner_table(Sheet& sheet, const Rect& area);

}  // namespace tilescope
