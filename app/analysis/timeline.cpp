#include "analysis/timeline.h"

#include <algorithm>

#include "analysis/main_loop.h"

namespace tilescope {
namespace {

// Where each warp's steps begin; what comes before the loop belongs to its first step.
std::vector<std::vector<std::uint32_t>> steps_by_warp(const BlockTrace& trace,
                                                      std::uint32_t header) {
  std::vector<std::vector<std::uint32_t>> steps;
  std::vector<bool> entered;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const std::size_t warp = trace.events[i].warp;
    if (warp >= steps.size()) {
      steps.resize(warp + 1);
      entered.resize(warp + 1, false);
    }
    if (steps[warp].empty()) steps[warp].push_back(i);
    if (trace.events[i].instruction != header) continue;
    if (entered[warp]) steps[warp].push_back(i);
    entered[warp] = true;
  }
  return steps;
}

std::uint32_t step_in(const std::vector<std::uint32_t>& begin, std::uint32_t event) {
  const auto next = std::upper_bound(begin.begin(), begin.end(), event);
  return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(next - begin.begin() - 1, 0));
}

}  // namespace

Timeline timeline_of(const Program& program, const BlockTrace& trace) {
  Timeline timeline;
  if (trace.events.empty()) {
    timeline.step_begin = {0};
    return timeline;
  }
  const std::vector<StaticInstruction>& instructions = program.instructions();
  std::int16_t phase = -1;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.access != kNoAccess) timeline.memory_events.push_back(i);
    if (i != 0 && instructions[event.instruction].phase == phase) continue;
    phase = instructions[event.instruction].phase;
    if (i != 0) timeline.phases.back().end = i;
    timeline.phases.push_back({i, i, phase});
  }
  timeline.warp_steps = steps_by_warp(trace, main_loop_header(program, trace));
  timeline.step_begin = timeline.warp_steps[trace.events.front().warp];
  timeline.phases.back().end = static_cast<std::uint32_t>(trace.events.size());
  return timeline;
}

std::uint32_t Timeline::step_at(std::uint32_t event) const { return step_in(step_begin, event); }

std::uint32_t Timeline::step_of(std::uint32_t warp, std::uint32_t event) const {
  return warp < warp_steps.size() ? step_in(warp_steps[warp], event) : 0;
}

}  // namespace tilescope
