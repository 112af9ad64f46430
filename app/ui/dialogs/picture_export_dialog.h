#pragma once

namespace tilescope {

struct WindowState;

// The dialog of Ctrl+E, while state.picture_export is open.
void draw_picture_export(WindowState& state);

}  // namespace tilescope
