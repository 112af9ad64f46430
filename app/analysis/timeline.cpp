#include "analysis/timeline.h"

#include <algorithm>
#include <limits>
#include <map>

namespace tilescope {
namespace {

// The outermost loop (index + 1) around an instruction; 0: none.
std::uint16_t outermost_loop(const Program& program, std::uint16_t loop) {
  while (loop != 0 && program.loops()[loop - 1u].parent != 0)
    loop = program.loops()[loop - 1u].parent;
  return loop;
}

// The outermost loop that most memory accesses of the trace lie in; 0 when none does. A kernel with
// a path of its own for edge blocks has several such loops: the one that ran is meant. `accesses`:
// how often each instruction did one.
std::uint16_t main_loop(const Program& program, const std::vector<std::uint32_t>& accesses) {
  std::map<std::uint16_t, std::size_t> by_loop;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (accesses[i] == 0) continue;
    by_loop[outermost_loop(program, program.instructions()[i].loop)] += accesses[i];
  }
  by_loop.erase(0);
  const auto most =
      std::max_element(by_loop.begin(), by_loop.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == by_loop.end() ? std::uint16_t{0} : most->first;
}

// Where each warp's steps begin; what comes before the loop belongs to its first step.
std::vector<std::vector<std::uint32_t>> steps_by_warp(const Program& program,
                                                      const BlockTrace& trace, std::uint16_t loop) {
  const std::uint32_t header =
      loop == 0 ? std::numeric_limits<std::uint32_t>::max() : program.loops()[loop - 1u].header;
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
  std::vector<std::uint32_t> accesses(instructions.size());
  std::int16_t phase = -1;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.access != kNoAccess) {
      timeline.memory_events.push_back(i);
      ++accesses[event.instruction];
    }
    if (i != 0 && instructions[event.instruction].phase == phase) continue;
    phase = instructions[event.instruction].phase;
    if (i != 0) timeline.phases.back().end = i;
    timeline.phases.push_back({i, i, phase});
  }
  timeline.warp_steps = steps_by_warp(program, trace, main_loop(program, accesses));
  timeline.step_begin = timeline.warp_steps[trace.events.front().warp];
  timeline.phases.back().end = static_cast<std::uint32_t>(trace.events.size());
  return timeline;
}

std::uint32_t Timeline::step_at(std::uint32_t event) const { return step_in(step_begin, event); }

std::uint32_t Timeline::step_of(std::uint32_t warp, std::uint32_t event) const {
  return warp < warp_steps.size() ? step_in(warp_steps[warp], event) : 0;
}

}  // namespace tilescope
