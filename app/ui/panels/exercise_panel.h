#pragma once

namespace tilescope {

struct WindowState;

// The open exercise in a column at the left: what to do, what was checked, hints. `top`: px, where
// the bar above ends; `width`: px that it takes. Draws nothing where no exercise is open.
void draw_exercise(WindowState& state, float top, float width);

}  // namespace tilescope
