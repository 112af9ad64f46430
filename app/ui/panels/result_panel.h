#pragma once

namespace tilescope {

struct WindowState;

// The numbers of the chosen point.
void draw_result_panel(WindowState& state);

}  // namespace tilescope
