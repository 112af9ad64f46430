#pragma once
#include <cstdint>

#include "analysis/pipeline.h"
#include "scene/drawing/pen.h"
#include "scene/view.h"

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

void draw_pipeline(Canvas& canvas, const Rect& area, const ViewContext& context);

// Parts of the view, each in its own file.
// The parts of shared memory, a row each: copy, ready, use of tile after tile.
void draw_ring(Pen& pen, const Rect& area, const CycleAxis& axis, const ViewContext& context,
               const Pipeline& pipeline);
[[nodiscard]] float ring_height(const Pen& pen, const Pipeline& pipeline);
// What the selected warp has under way: global loads, shared loads, arithmetic.
void draw_warp_units(Pen& pen, const Rect& area, const CycleAxis& axis, const ViewContext& context,
                     const Pipeline& pipeline);
// The warps of the block, a row each.
void draw_warp_rows(Pen& pen, const Rect& area, const CycleAxis& axis, const ViewContext& context,
                    const Pipeline& pipeline);
// Where the selected warp was on the GPU, a row below its units.
void draw_measured_phases(Pen& pen, const Rect& area, const CycleAxis& axis,
                          const ViewContext& context, const Pipeline& pipeline);
// What the warps' time goes into, and STAGES 1..5 side by side where the kernel has them.
void draw_stall_bar(Pen& pen, const Rect& area, const Pipeline& pipeline);
void draw_stages_strip(Pen& pen, const Rect& area, const ViewContext& context);

}  // namespace tilescope
