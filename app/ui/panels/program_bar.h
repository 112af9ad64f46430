#pragma once

namespace tilescope {

struct WindowState;

// Below the notices: the offer to run the program that the kernel in front belongs to, or what the
// newest run does and prints. Returns its height in px; 0: there is nothing to offer or to tell.
float draw_program_bar(WindowState& state, float top);

}  // namespace tilescope
