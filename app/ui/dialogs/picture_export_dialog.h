#pragma once

namespace tilescope {

struct Desk;

// The dialog of Ctrl+E, while desk.picture_export is open.
void draw_picture_export(Desk& desk);

}  // namespace tilescope
