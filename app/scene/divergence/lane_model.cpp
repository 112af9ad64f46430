#include "scene/divergence/lane_model.h"

namespace tilescope {

LaneModel lane_model_of(const KernelStudy& study) {
  LaneModel model;
  model.block = block_lanes_of(*study.program, *study.trace, study.launch.block.count());
  for (const WarpLanes& warp : model.block.warps) {
    model.columns.push_back(lane_columns(*study.program, *study.trace, warp, 0,
                                         static_cast<std::uint32_t>(warp.events.size()),
                                         LaneModel::kMostColumns));
  }
  return model;
}

}  // namespace tilescope
