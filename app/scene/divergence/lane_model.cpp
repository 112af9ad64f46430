#include "scene/divergence/lane_model.h"

#include <bit>

namespace tilescope {
namespace {

std::vector<std::uint64_t> lost_slots_before(const KernelStudy& study, const BlockLanes& block) {
  const std::vector<StaticInstruction>& instructions = study.program->instructions();
  const std::vector<TraceEvent>& events = study.trace->events;
  std::vector<std::uint64_t> lost(events.size() + 1);
  for (const WarpLanes& warp : block.warps) {
    for (const LaneRun& run : warp.runs) {
      for (std::uint32_t i = run.begin; i < run.end; ++i) {
        const TraceEvent& event = events[warp.events[i]];
        const LaneStates states =
            states_of(instructions[event.instruction], event, warp.existing, run.done);
        lost[warp.events[i] + 1] = 32u - static_cast<unsigned>(std::popcount(states.working));
      }
    }
  }
  for (std::size_t i = 1; i < lost.size(); ++i) lost[i] += lost[i - 1];
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
  model.lost_before = lost_slots_before(study, model.block);
  return model;
}

}  // namespace tilescope
