#pragma once

namespace tilescope {

struct Desk;

// The causes that cost most time.
void draw_verdicts_panel(Desk& desk);

}  // namespace tilescope
