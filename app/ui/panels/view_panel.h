#pragma once

#include "scene/view/view.h"

namespace tilescope {

struct Desk;

// The picture of a view, with what can be clicked in it.
void draw_view_panel(Desk& desk, View view);

}  // namespace tilescope
