#pragma once

namespace tilescope {

struct Desk;

// What each line costs, beside the least it could.
void draw_counters_panel(Desk& desk);

}  // namespace tilescope
