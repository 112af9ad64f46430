#pragma once

namespace tilescope {

struct Desk;

// F1: the keys, and what the four marks mean.
void draw_help(Desk& desk);

}  // namespace tilescope
