#pragma once
#include "ui/drawing/sheet.h"

namespace tilescope {

// The fastest that are known at this size before anything is tried: what the tuner tried before, in
// this sitting or in that of the document's file, else what was recorded. Returns the y below.
// Precondition: the active variant is a catalogue's kernel.
float draw_known_combinations(Sheet& sheet, const Rect& area);

}  // namespace tilescope
