#pragma once

namespace tilescope {

struct WindowState;

// The causes that cost most time.
void draw_verdicts_panel(WindowState& state);

}  // namespace tilescope
