#pragma once

namespace tilescope {

struct WindowState;

// F1: the terms of the glossary, with a search; the keys, and what the four marks mean.
void draw_help(WindowState& state);

}  // namespace tilescope
