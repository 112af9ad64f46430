#pragma once

namespace tilescope {

struct WindowState;

// Not a panel: it stands at the top and cannot be closed.
void draw_top_bar(WindowState& state);

}  // namespace tilescope
