#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/launch/instance.h"
#include "scene/rates/rate_unit.h"
#include "ui/state/panel_surface.h"
#include "ui/state/window_state.h"

namespace tilescope {

// Throughput over time: a point a launch as it comes, uprights where a parameter changed. The wheel
// changes how much time is shown, a drag moves through it, a double click follows the present
// again. A point under the pointer is state.charts.touched; a click on it sets what it was measured
// of. False: nothing was measured in the time that is shown.
bool draw_live_chart(PanelSurface& surface, const Rect& area, const std::string& reference_name);

// What its axis is in: "GB/s"; empty where nothing was measured.
[[nodiscard]] std::string live_unit_word(const WindowState& state,
                                         const std::string& reference_name);

// The wheel and the drag; seconds and steps may be of either sign.
void zoom_live(ChartState& charts, float steps, double now);
void scroll_live(ChartState& charts, double seconds, double now);

// What the live chart's values are: those of the active variant's problem as the person wants them
// shown. A kernel of the user's own has times alone.
struct LiveScale {
  RateUnit unit = RateUnit::kTime;
  double peak = 0;                  // a rate; 0: not known
  double reference_rate = 0;        // of cuBLAS or the copy as last measured; 0: not yet
  std::optional<double> reference;  // the same in `unit`
};
[[nodiscard]] LiveScale live_scale(const WindowState& state);

// Moments of Workbench::now_seconds()'s clock.
struct LiveStretch {
  double end = 0;
  double seconds = 0;  // before it
};
// What the live chart shows.
[[nodiscard]] LiveStretch live_stretch(const WindowState& state);

// A launch in a stretch.
struct LiveSample {
  double when = 0;   // seconds from the stretch's end, not positive
  double value = 0;  // in the scale's unit
  const KernelInstance* instance = nullptr;
};
// Those of a variant by time, with the L2 as the workbench measures now, as far as they have a
// value in the scale's unit.
[[nodiscard]] std::vector<LiveSample> live_samples(const WindowState& state, int variant,
                                                   const LiveStretch& stretch,
                                                   const LiveScale& scale);

}  // namespace tilescope
