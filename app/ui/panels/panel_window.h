#pragma once
#include <string>

#include "scene/view.h"

namespace tilescope {

struct Desk;

// Font and padding of the tabs, larger in a lecture; in force until pop_tab_style.
void push_tab_style(const Desk& desk);
void pop_tab_style();

// Opens the window of every panel that is not closed and has it draw itself.
void draw_panels(Desk& desk);

// The title of the panel whose tab is in front where the view is docked; "" where it is not.
[[nodiscard]] std::string panel_in_front(View view);

}  // namespace tilescope
