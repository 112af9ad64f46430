#pragma once

namespace tilescope {

struct WindowState;

// The time of the traced block: play, step, bookmarks.
void draw_transport_panel(WindowState& state);

}  // namespace tilescope
