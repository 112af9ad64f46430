#pragma once

namespace tilescope {

struct Desk;

// The tuner: its start, its progress and its best points.
void draw_tuner_panel(Desk& desk);

}  // namespace tilescope
