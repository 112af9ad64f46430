#pragma once

namespace tilescope {

struct Desk;

// Keys that work everywhere: those of time (space, comma, period, Page Up and Down, I, O, L and the
// digits), Ctrl +/-/0 the text size, Ctrl+Shift+P the palette, F1 help with all of them.
void handle_shortcuts(Desk& desk);

}  // namespace tilescope
