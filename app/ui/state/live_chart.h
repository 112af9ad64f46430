#pragma once

#include "scene/rates/rate_figure.h"
#include "ui/state/window_state.h"

namespace tilescope {

// The launches of this window over time, up to the present or to where the chart was scrolled; in
// the unit that the person chose, with the L2 as the workbench measures now. LiveRate::launch is an
// index into LiveLaunches::launches(). A kernel of the user's own has times alone.
[[nodiscard]] RateFigure present_figure(const WindowState& state);

// The wheel changes how much time is shown, a drag moves through it; seconds and steps may be of
// either sign. Where the present is reached the chart follows it again.
void zoom_live(ChartState& charts, float steps, double now);
void scroll_live(ChartState& charts, double seconds, double now);
void follow_present(ChartState& charts);

// What a launch was of.
[[nodiscard]] ChartKey key_of(const KernelInstance& instance);

}  // namespace tilescope
