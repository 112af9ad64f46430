#pragma once

namespace tilescope {

struct WindowState;

// The steps of each family, from naive to fast, with the rate of each.
void draw_ladder_panel(WindowState& state);

}  // namespace tilescope
