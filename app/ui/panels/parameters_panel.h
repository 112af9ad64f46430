#pragma once

namespace tilescope {

struct Desk;

// The sliders of the kernel, the size of the problem, or the launch of an own kernel.
void draw_parameters_panel(Desk& desk);

// Threads, registers and shared memory of a block, and how many fit on an SM.
void draw_costs_panel(Desk& desk);

}  // namespace tilescope
