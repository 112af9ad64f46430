#pragma once
#include "ui/drawing/sheet.h"

namespace tilescope {

inline constexpr float kTunerRow = 22;  // units, of the tuner's tables and choices

// What the tuner has tried, the fastest first; a click sets a row's parameters. Returns the y
// below. Precondition: it was started.
float draw_tuner_table(Sheet& sheet, const Rect& area);

// The fastest that are known at this size before anything is tried: what the tuner tried before, in
// this sitting or in that of the document's file, else what was recorded. Returns the y below.
// Precondition: the active variant is a catalogue's kernel.
float draw_known_combinations(Sheet& sheet, const Rect& area);

}  // namespace tilescope
