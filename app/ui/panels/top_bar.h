#pragma once

namespace tilescope {

struct Desk;

// Not a panel: it stands at the top and cannot be closed.
void draw_top_bar(Desk& desk);

}  // namespace tilescope
