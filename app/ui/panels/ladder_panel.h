#pragma once

namespace tilescope {

struct Desk;

// The steps of each family, from naive to fast, with the rate of each.
void draw_ladder_panel(Desk& desk);

}  // namespace tilescope
