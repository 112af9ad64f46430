#include "analysis/moment.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/warp_time.h"

namespace tilescope {
namespace {

// Events [begin, end) of a step.
struct StepRange {
  std::uint32_t begin;
  std::uint32_t end;
};

StepRange step_range(const KernelStudy& study, std::uint32_t warp, std::size_t step) {
  const std::vector<std::uint32_t>& begins = WarpTime{study, warp, {}}.steps();
  step = std::min(step, begins.size() - 1);
  const auto end = step + 1 < begins.size()
                       ? begins[step + 1]
                       : static_cast<std::uint32_t>(study.trace->events.size());
  return {begins[step], end};
}

// The step of the warp at `event`, from 0.
std::size_t step_at(const KernelStudy& study, std::uint32_t warp, std::uint32_t event) {
  const std::vector<std::uint32_t>& begins = WarpTime{study, warp, {}}.steps();
  const auto next = std::ranges::upper_bound(begins, event) - begins.begin();
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(next - 1, 0));
}

// The event of `to` nearest to `around` that does what `event` of `from` did: the same source line
// and the same kind of access, in the same warp. `around` where there is none near.
std::uint32_t nearest_like(const KernelStudy& from, std::uint32_t event, const KernelStudy& to,
                           std::uint32_t around) {
  constexpr std::uint32_t kMostAway = 4096;
  const TraceEvent& was = from.trace->events[event];
  const StaticInstruction& wanted = from.program->instructions()[was.instruction];
  const auto& events = to.trace->events;
  const auto alike = [&](std::uint32_t candidate) {
    const StaticInstruction& instruction =
        to.program->instructions()[events[candidate].instruction];
    return events[candidate].warp == was.warp && instruction.outermost == wanted.outermost &&
           instruction.access == wanted.access && instruction.space == wanted.space;
  };
  for (std::uint32_t away = 0; away < kMostAway; ++away) {
    if (around + away < events.size() && alike(around + away)) return around + away;
    if (around >= away && alike(around - away)) return around - away;
  }
  return around;
}

}  // namespace

std::uint32_t same_moment(const KernelStudy& from, std::uint32_t event, const KernelStudy& to,
                          std::uint32_t warp) {
  if (from.trace->events.empty() || to.trace->events.empty()) return 0;
  const std::size_t step = step_at(from, warp, event);
  const StepRange before = step_range(from, warp, step);
  const StepRange after = step_range(to, warp, step);
  const double share = before.end > before.begin && event > before.begin
                           ? static_cast<double>(event - before.begin) / (before.end - before.begin)
                           : 0.0;
  const auto moved =
      std::min(after.begin + static_cast<std::uint32_t>(share * (after.end - after.begin)),
               static_cast<std::uint32_t>(to.trace->events.size()) - 1);
  return nearest_like(from, event, to, moved);
}

std::uint32_t same_share(const KernelStudy& from, std::uint32_t event, const KernelStudy& to,
                         std::uint32_t warp) {
  if (from.trace->events.empty() || to.trace->events.empty()) return 0;
  const auto last = static_cast<std::uint32_t>(to.trace->events.size()) - 1;
  const auto from_steps = static_cast<double>(WarpTime{from, warp, {}}.steps().size());
  const auto to_steps = static_cast<double>(WarpTime{to, warp, {}}.steps().size());
  if (from_steps < 2 || to_steps < 2) {
    const double share =
        static_cast<double>(event) / static_cast<double>(from.trace->events.size());
    return std::min(static_cast<std::uint32_t>(share * (last + 1.0)), last);
  }
  const std::size_t step = step_at(from, warp, event);
  const StepRange before = step_range(from, warp, step);
  const double within = static_cast<double>(event - std::min(event, before.begin)) /
                        std::max<double>(before.end - before.begin, 1);
  const double place = (static_cast<double>(step) + within) * to_steps / from_steps;
  const StepRange after = step_range(to, warp, static_cast<std::size_t>(place));
  const double rest = place - std::floor(place);
  return std::min(after.begin + static_cast<std::uint32_t>(rest * (after.end - after.begin)), last);
}

}  // namespace tilescope
