#pragma once

namespace tilescope {

struct WindowState;

// The page over the whole window, where one is asked for (Learn::page()): the three doors of a
// first start, or the list of lessons.
void draw_learn_page(WindowState& state);
// A kernel whose picture explains itself, behind the doors and where one of them leads.
void show_easy_kernel(WindowState& state);

}  // namespace tilescope
