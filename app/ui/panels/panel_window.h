#pragma once

namespace tilescope {

struct Desk;

// Font and padding of the tabs, larger in a lecture; in force until pop_tab_style.
void push_tab_style(const Desk& desk);
void pop_tab_style();

// Opens the window of every panel that is not closed and has it draw itself.
void draw_panels(Desk& desk);

}  // namespace tilescope
