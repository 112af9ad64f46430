#pragma once

#include "scene/pipeline/pipeline_scene.h"

namespace tilescope {

// Where the selected warp was on the GPU, a row below its units.
void draw_measured_phases(Pen& pen, const Rect& area, const CycleAxis& axis,
                          const ViewContext& context, const Pipeline& pipeline);
// The warps of the block, a row each. Returns what was drawn.
PipelineMarks draw_warp_rows(Pen& pen, const Rect& area, const CycleAxis& axis,
                             const ViewContext& context, const Pipeline& pipeline);
// What the selected warp has under way: global loads, shared loads, arithmetic.
void draw_warp_units(Pen& pen, const Rect& area, const CycleAxis& axis, const ViewContext& context,
                     const Pipeline& pipeline);

}  // namespace tilescope
