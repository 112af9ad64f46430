#pragma once
#include "scene/tiling/tiling_model.h"

namespace tilescope {

// Fills owners, warp_rects, lane_rects, stored and elements_per_thread from the stores to
// model.output's tile. A tile of more than a million elements is left without owners. Precondition:
// model.output.
void find_tile_owners(const KernelStudy& study, TilingModel& model);

}  // namespace tilescope
