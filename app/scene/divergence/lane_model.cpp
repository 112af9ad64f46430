#include "scene/divergence/lane_model.h"

#include <bit>

namespace tilescope {
namespace {

std::vector<std::uint64_t> lost_slots_before(const KernelStudy& study) {
  const std::vector<StaticInstruction>& instructions = study.program->instructions();
  const EventList& events = study.trace->events;
  std::vector<std::uint64_t> lost(events.size() + 1);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const LaneStates states = states_of(instructions[events[i].instruction], events[i], ~0u, 0);
    lost[i + 1] = lost[i] + 32u - static_cast<unsigned>(std::popcount(states.working));
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
