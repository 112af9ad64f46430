#pragma once

namespace tilescope {

struct Desk;

// The kernel's CUDA, PTX and SASS.
void draw_source_panel(Desk& desk);

}  // namespace tilescope
