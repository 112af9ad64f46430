#pragma once

#include "scene/occupancy/occupancy_scene.h"

namespace tilescope {

// Resident warps over block size, registers and shared memory.
void draw_occupancy_curves(Pen& pen, const Rect& area, const OccupancyPicture& picture);
// Each value of each parameter with the warps that would be resident; a click sets it.
void draw_parameter_strips(Pen& pen, const Rect& area, const ViewContext& context,
                           const OccupancyPicture& picture);

}  // namespace tilescope
