#pragma once

namespace tilescope {

struct WindowState;

// The charts at the bottom.
void draw_throughput_panel(WindowState& state);

}  // namespace tilescope
