#pragma once

namespace tilescope {

struct WindowState;

// The scenes of the session in their order; the selected one can be renamed, moved, removed and
// replaced, and has its note below.
void draw_scenes_panel(WindowState& state);

}  // namespace tilescope
