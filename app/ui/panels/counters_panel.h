#pragma once

namespace tilescope {

struct WindowState;

// What each line costs, beside the least it could.
void draw_counters_panel(WindowState& state);

}  // namespace tilescope
