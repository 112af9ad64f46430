#pragma once

namespace tilescope {

struct WindowState;

// What the pipeline model assumes; each may be changed.
void draw_latency_panel(WindowState& state);

}  // namespace tilescope
