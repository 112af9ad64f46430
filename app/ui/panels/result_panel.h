#pragma once

namespace tilescope {

struct Desk;

// The numbers of the chosen point.
void draw_result_panel(Desk& desk);

}  // namespace tilescope
