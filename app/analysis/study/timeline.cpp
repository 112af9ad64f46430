#include "analysis/study/timeline.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tilescope {
namespace {

// Where each warp's steps begin; what comes before the loop belongs to its first step.
class StepsByWarp {
 public:
  explicit StepsByWarp(std::uint32_t header) : header_(header) {}

  void add(std::uint32_t index, const TraceEvent& event) {
    if (event.warp >= steps_.size()) {
      steps_.resize(event.warp + std::size_t{1});
      entered_.resize(event.warp + std::size_t{1}, false);
    }
    std::vector<std::uint32_t>& own = steps_[event.warp];
    if (own.empty()) own.push_back(index);
    if (event.instruction != header_) return;
    if (entered_[event.warp]) own.push_back(index);
    entered_[event.warp] = true;
  }
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> take() { return std::move(steps_); }

 private:
  std::uint32_t header_;
  std::vector<std::vector<std::uint32_t>> steps_;
  std::vector<bool> entered_;
};

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
  StepsByWarp steps(main_loop_header(program, trace));
  timeline.memory_events.reserve(trace.access_count());
  std::uint32_t index = 0;
  for (const TraceEvent& event : trace.events) {
    if (event.access != kNoAccess) timeline.memory_events.push_back(index);
    steps.add(index, event);
    ++index;
  }
  timeline.warp_steps = steps.take();
  timeline.step_begin = timeline.warp_steps[trace.events.front().warp];
  return timeline;
}

std::uint32_t Timeline::step_at(std::uint32_t event) const { return step_in(step_begin, event); }

std::uint32_t Timeline::step_of(std::uint32_t warp, std::uint32_t event) const {
  return warp < warp_steps.size() ? step_in(warp_steps[warp], event) : 0;
}

namespace {

// The outermost loop (index + 1) around an instruction; 0: none.
std::uint16_t outermost_loop(const Program& program, std::uint16_t loop) {
  while (loop != 0 && program.loops()[loop - 1u].parent != 0)
    loop = program.loops()[loop - 1u].parent;
  return loop;
}

}  // namespace

std::uint32_t main_loop_header(const Program& program, const BlockTrace& trace) {
  std::vector<std::uint32_t> accesses(program.instructions().size());
  for (std::uint32_t i = 0; i < trace.access_count(); ++i) {
    const std::uint32_t instruction = trace.events.accesses().instruction(i);
    if (instruction != kNoInstruction) ++accesses[instruction];
  }
  std::map<std::uint16_t, std::size_t> by_loop;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (accesses[i] == 0) continue;
    const StaticInstruction& instruction = program.instructions()[i];
    const std::size_t executed =
        accesses[i] / (instruction.access == AccessKind::kAsyncCopy ? 2 : 1);
    by_loop[outermost_loop(program, instruction.loop)] += executed;
  }
  by_loop.erase(0);
  const auto most =
      std::max_element(by_loop.begin(), by_loop.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == by_loop.end() ? kNoLoopHeader : program.loops()[most->first - 1u].header;
}

}  // namespace tilescope
