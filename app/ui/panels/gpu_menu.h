#pragma once

#include <optional>

#include "scene/drawing/canvas.h"
#include "ui/state/panel_surface.h"

namespace tilescope {

struct WindowState;

// When what happened to a worker leaves the bar, in WindowState::now's clock; nullopt: nothing is
// shown.
[[nodiscard]] std::optional<double> news_end(const WindowState& state);

// The GPU that the active variant is computed for, in the top bar, and for some seconds what
// happened to a worker. A click opens a menu: another GPU for this variant, and the workers' news.
void draw_gpu_menu(PanelSurface& surface, const Rect& place);

}  // namespace tilescope
