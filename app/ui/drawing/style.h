#pragma once
#include "scene/drawing/palette.h"

struct ImGuiStyle;

namespace tilescope {

// A paint as ImGui packs colours, times `opacity`.
[[nodiscard]] unsigned packed(Paint paint, Theme theme, float opacity = 1);

// Colours, corners and spacing of the whole interface, from the colour roles. `scale`: px per unit.
void apply_style(Theme theme, float scale);

}  // namespace tilescope
