#pragma once

#include "scene/drawing/canvas.h"
#include "scene/drawing/palette.h"

namespace tilescope {

struct WindowState;

// A window without a frame at a fixed place, in px. Open while this lives. `over_others`: it lies
// over what was drawn there before.
class FixedArea {
 public:
  FixedArea(const WindowState& state, const char* name, const Rect& px, ColourRole ground,
            bool over_others = false);
  ~FixedArea();
  FixedArea(const FixedArea&) = delete;
  FixedArea& operator=(const FixedArea&) = delete;
};

}  // namespace tilescope
