#pragma once

#include "scene/view/view.h"

namespace tilescope {

struct WindowState;

// The picture of a view, with what can be clicked in it.
void draw_view_panel(WindowState& state, View view);

}  // namespace tilescope
