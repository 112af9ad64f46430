#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>

#include "analysis/time/pipeline.h"
#include "scene/drawing/pen.h"
#include "scene/view/view.h"

namespace tilescope {

// The cycles that the pipeline view shows, across `box`.
struct CycleAxis {
  Rect box;
  double first = 0;
  double cycles = 1;
  [[nodiscard]] float x_of(double cycle) const {
    return box.x + box.w * static_cast<float>((cycle - first) / cycles);
  }
  [[nodiscard]] double last() const { return first + cycles; }
};
// About eight tiles around the selected moment, fewer when zoomed in; the whole block where it is
// short.
[[nodiscard]] CycleAxis cycle_axis(const ViewContext& context, const Pipeline& pipeline,
                                   const Rect& box);

// Cycles, and the warp along whose events a click goes there.
struct WarpAxis {
  const CycleAxis& axis;
  const Pipeline& pipeline;
  std::uint32_t warp = 0;
};
// The hits of a mark: a click on it goes to the moment that was clicked. `hit` without the event:
// it becomes the value of kEvent, and value2 - 1 of kWarp.
void add_moment_hits(Pen& pen, const Rect& mark, const WarpAxis& time, const Hit& hit);

void draw_pipeline(Canvas& canvas, const Rect& area, const ViewContext& context);

// Parts of the view.
// The parts of shared memory, a row each: copy, ready, use of tile after tile.
void draw_ring(Pen& pen, const Rect& area, const CycleAxis& axis, const ViewContext& context,
               const Pipeline& pipeline);
[[nodiscard]] float ring_height(const Pen& pen, const Pipeline& pipeline);
// The kinds of mark in the picture, in the legend's order.
constexpr std::size_t kMarkLoad = 0;
constexpr std::size_t kMarkCompute = 1;
constexpr std::size_t kMarkStore = 2;
constexpr std::size_t kMarkBarrier = 3;
constexpr std::size_t kMarkGlobalWait = 4;
constexpr std::size_t kMarkSharedWait = 5;
constexpr std::size_t kMarkOther = 6;
constexpr std::size_t kMarkWait = 7;
constexpr std::size_t kMarkMathThrottle = 8;
constexpr std::size_t kMarkMioThrottle = 9;
constexpr std::size_t kMarkLgThrottle = 10;
constexpr std::size_t kMarkBranch = 11;
constexpr std::size_t kMarkNotSelected = 12;
constexpr std::size_t kMarkMbarrier = 13;
constexpr std::size_t kMarkGmma = 14;
using PipelineMarks = std::bitset<15>;
// The legend of `marks` alone, on as many lines as it needs, and how many all marks need in `width`
// beside a word of where the picture comes from. Returns the end of its last line.
constexpr float kLegendLine = 16;
[[nodiscard]] int legend_lines(const Pen& pen, float width, PipelineMarks marks,
                               const ShortLatencyUnits& units);
// Those that a picture of this pipeline may hold. The bar of the warps' time names the marks of its
// own reasons: with it the legend need not.
[[nodiscard]] PipelineMarks possible_marks(const Pipeline& pipeline, bool with_bar);
[[nodiscard]] std::size_t legend_mark_of(Stall stall);
// "a value from shared memory, a shuffle or a special function is not there yet"
[[nodiscard]] const char* meaning_of(Stall stall);
Point draw_pipeline_legend(Pen& pen, const Rect& area, PipelineMarks marks,
                           const ShortLatencyUnits& units);
// What the warps' time goes into: a bar from `left` on, below it the names of its parts; and the
// height it needs in an area of this width.
void draw_stall_bar(Pen& pen, const Rect& area, float left, const Pipeline& pipeline);
[[nodiscard]] float stall_bar_height(const Pen& pen, float width, float left,
                                     const Pipeline& pipeline);
// STAGES 1..5 side by side where the kernel has them.
void draw_stages_strip(Pen& pen, const Rect& area, const ViewContext& context);

}  // namespace tilescope
