#pragma once

#include "kernel/catalogue/catalogue.h"
#include "ui/state/panel_surface.h"

namespace tilescope {

struct WindowState;

// The sliders of the kernel, the size of the problem, or the launch of an own kernel.
void draw_parameters_panel(WindowState& state);

// Threads, registers and shared memory of a block, and how many fit on an SM.
void draw_costs_panel(WindowState& state);

inline constexpr float kSliderHeight = 42;

// One parameter over the values it offers: name, value, a track with a tick per value (those that
// break a rule in the colour of excess) and a knob to drag. A double click on the value types it.
// Returns the value that was chosen, if one was.
[[nodiscard]] std::optional<std::int64_t> draw_parameter_slider(PanelSurface& surface, float y,
                                                                const ParameterSpec& spec,
                                                                std::int64_t value, float height);

// The slider that was touched last: its next legal value; or the slider above or below it. A
// direction is -1 or 1.
void step_parameter(WindowState& state, int direction);
void choose_parameter(WindowState& state, int direction);

}  // namespace tilescope
