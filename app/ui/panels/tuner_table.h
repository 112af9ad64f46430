#pragma once
#include "ui/drawing/sheet.h"

namespace tilescope {

inline constexpr float kTunerRow = 22;  // units, of the tuner's tables and choices

// What the tuner has tried, the fastest first; a click sets a row's parameters. Returns the y
// below. Precondition: it was started.
float draw_tuner_table(Sheet& sheet, const Rect& area);

// The fastest that were recorded at this size: what is known before anything is tried. Returns the
// y below. Precondition: the active variant is a catalogue's kernel.
float draw_recorded_runs(Sheet& sheet, const Rect& area);

}  // namespace tilescope
