#include "scene/model/lane_model.h"

#include <bit>

namespace tilescope {
namespace {

std::vector<std::uint64_t> lost_slots_before(const KernelStudy& study) {
  const std::vector<bool> decides = deciding_instructions(*study.program);
  std::vector<std::uint64_t> lost;
  lost.reserve(study.trace->events.size() + 1);
  lost.push_back(0);
  for (const TraceEvent& event : study.trace->events) {
    const std::uint32_t working = decides[event.instruction] ? event.present : event.active;
    lost.push_back(lost.back() + static_cast<unsigned>(std::popcount(~working)));
  }
  return lost;
}

}  // namespace

LaneModel lane_model_of(const KernelStudy& study) {
  LaneModel model;
  model.block = block_lanes_of(*study.program, *study.trace, study.launch.block.count());
  for (const WarpLanes& warp : model.block.warps) {
    model.columns.push_back(lane_columns(*study.program, *study.trace, warp, 0,
                                         static_cast<std::uint32_t>(warp.events.size()),
                                         LaneModel::kMostColumns));
  }
  model.lost_before = lost_slots_before(study);
  return model;
}

}  // namespace tilescope
