#pragma once

namespace tilescope {

struct Desk;

// The charts at the bottom.
void draw_throughput_panel(Desk& desk);

}  // namespace tilescope
