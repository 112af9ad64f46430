#pragma once
#include "ui/drawing/sheet.h"

namespace tilescope {

// The hardware's counters beside the emulated ones: how they stand together, the button that has
// them read, how far that is, or why it cannot be. Returns the y below.
float draw_hardware_state(Sheet& sheet, float y);
// A row for each: its name, ◆ emulated, ● measured or ○ recorded, and whether they are equal.
// Nothing where nobody has read them. Returns the y below.
float draw_hardware_counters(Sheet& sheet, float y);

}  // namespace tilescope
