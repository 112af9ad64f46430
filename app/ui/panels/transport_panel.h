#pragma once

namespace tilescope {

struct Desk;

// The time of the traced block: play, step, bookmarks.
void draw_transport_panel(Desk& desk);

}  // namespace tilescope
