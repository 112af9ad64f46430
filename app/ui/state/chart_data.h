#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/launch/instance.h"
#include "scene/rates/rate_chart_data.h"
#include "scene/rates/rate_figure.h"
#include "ui/state/window_state.h"

namespace tilescope {

// A chart of the window: its points lead back to what was measured.
struct LinkedChart : RateChart {
  std::vector<ChartKey> keys;  // by ChartPoint::answer
  // That have no point because they were recorded with the L2 in the other state alone.
  std::size_t only_otherwise = 0;

  [[nodiscard]] const ChartKey& key(const ChartPoint& point) const { return keys[point.answer]; }
};

// The newest measurement of each value of a parameter, all other parameters and the size being each
// variant's own; what was recorded of exactly that where nothing was measured. What is being
// measured stands as its launches so far say. All with the L2 cold or warm, as the workbench
// measures. `of_file`: what points are called that the document's file brought: recorded in the
// window, as they are of another run of the program; measured in a picture of the document, which
// says on what and when.
[[nodiscard]] LinkedChart chart_over_parameter(const WindowState& state, const ParameterSpec& spec,
                                               Source of_file = Source::kRecorded);

// The same over every size at which a variant's parameters were measured or recorded, for the
// variants of the active one's problem.
[[nodiscard]] LinkedChart chart_over_size(const WindowState& state,
                                          Source of_file = Source::kRecorded);

// The chart in the unit that the person chose, with what stands beside its points; over the size
// where there is no parameter. A kernel of the user's own has a figure without points.
[[nodiscard]] RateFigure figure_of(const WindowState& state, const ParameterSpec* spec,
                                   RateChart chart);
// Sets the active variant to what a point was measured of.
void go_to(WindowState& state, const ChartKey& key);

// The GPU that a chart is about, and what the active variant can reach on it at the most: a rate, 0
// where that is not known.
struct ChartPeak {
  std::string device;  // "H200"
  double rate = 0;
};
[[nodiscard]] ChartPeak peak_of(const WindowState& state, const RateChart& chart);

// Where a chart's point is of: what tooltips say ("TILE_M 128, TILE_N 128 …; 2048 × 2048 × 1024").
[[nodiscard]] std::string describe(const ChartKey& key, const Variant& beside);

// The parameter that the first chart is over: the slider touched last, else the kernel's first.
[[nodiscard]] const ParameterSpec* charted_parameter(const WindowState& state);
// "cuBLAS", "device copy": what stands beside the variant.
[[nodiscard]] std::string reference_beside(const Variant& variant);

// Whether all charts are empty and stay so: there is no GPU, and nothing was recorded or measured
// of what they show.
[[nodiscard]] bool nothing_to_chart(const WindowState& state);

// The chart as it stands, as a figure for a file; nullptr: there is nothing in it.
[[nodiscard]] std::shared_ptr<const RateFigure> chart_figure(const WindowState& state,
                                                             ChartKind kind);

}  // namespace tilescope
