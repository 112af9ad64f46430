#pragma once

namespace tilescope {

struct Desk;

// What the pipeline model assumes; each may be changed.
void draw_latency_panel(Desk& desk);

}  // namespace tilescope
