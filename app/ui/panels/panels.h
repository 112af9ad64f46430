#pragma once

#include <span>
#include <string>

#include "scene/view/view.h"
#include "ui/state/layout.h"

namespace tilescope {

// All panels, in the order of the View menu. To add a panel, add a line there.
[[nodiscard]] std::span<const Panel> all_panels();

struct WindowState;

// Font and padding of the tabs, larger in a lecture; in force until pop_tab_style.
void push_tab_style(const WindowState& state);
void pop_tab_style();

// Opens the window of every panel that is not closed and has it draw itself.
void draw_panels(WindowState& state);

// The title of the panel whose tab is in front where the view is docked; "" where it is not.
[[nodiscard]] std::string panel_in_front(View view);

}  // namespace tilescope
