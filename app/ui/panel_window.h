#pragma once

namespace tilescope {

struct Desk;

// Opens the window of every panel that is not closed and has it draw itself.
void draw_panels(Desk& desk);

}  // namespace tilescope
