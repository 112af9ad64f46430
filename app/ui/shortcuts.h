#pragma once

namespace tilescope {

struct Desk;

// Keys that work everywhere: those of time (space, comma, period, Page Up and Down, I, O, L and the
// digits), Ctrl+V opens the kernel in the clipboard, Ctrl +/-/0 the text size, Ctrl+Shift+P the
// palette, F1 help with all of them.
void handle_shortcuts(Desk& desk);

// Opens the text of the clipboard as a kernel of the user's own; where it holds none, a note says
// so.
void paste_kernel(Desk& desk);

}  // namespace tilescope
