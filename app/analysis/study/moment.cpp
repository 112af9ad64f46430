#include "analysis/study/moment.h"

#include <algorithm>
#include <cmath>
#include <vector>

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

std::size_t WarpTime::done(std::uint32_t event) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(own, event) - own.begin());
}

std::uint32_t WarpTime::own_event(std::uint32_t event) const {
  if (own.empty()) return event;
  const std::size_t before = done(event);
  return own[before == 0 ? 0 : before - 1];
}

std::int16_t WarpTime::phase_of(std::uint32_t event) const {
  return study.program->instructions()[study.trace->events[event].instruction].phase;
}

std::int16_t WarpTime::phase_at(std::uint32_t event) const {
  const auto last = static_cast<std::uint32_t>(study.trace->events.size()) - 1;
  return phase_of(own_event(std::min(event, last)));
}

const std::vector<std::uint32_t>& WarpTime::steps() const {
  const Timeline& timeline = *study.timeline;
  const bool known = warp < timeline.warp_steps.size() && !timeline.warp_steps[warp].empty();
  return known ? timeline.warp_steps[warp] : timeline.step_begin;
}

std::uint32_t WarpTime::instructions_on(std::uint32_t event, std::int64_t count) const {
  if (count == 0) return event;
  const auto size =
      static_cast<std::int64_t>(own.empty() ? study.trace->events.size() : own.size());
  if (own.empty())
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(event + count, 0, size - 1));
  const auto before = static_cast<std::int64_t>(done(event));
  const bool stands_on_own = before > 0 && own[static_cast<std::size_t>(before) - 1] == event;
  // From between two of its events, one back leads to the earlier one.
  const std::int64_t wanted = before - 1 + count + (count < 0 && !stands_on_own ? 1 : 0);
  if (wanted < 0 && before == 0) return event;
  const std::uint32_t there =
      own[static_cast<std::size_t>(std::clamp<std::int64_t>(wanted, 0, size - 1))];
  return count > 0 ? std::max(there, event) : std::min(there, event);
}

bool WarpTime::is_access(std::uint32_t event) const {
  const StaticInstruction& instruction =
      study.program->instructions()[study.trace->events[event].instruction];
  return instruction.access != AccessKind::kNone && instruction.space != MemorySpace::kLocal &&
         instruction.space != MemorySpace::kConstant &&
         instruction.space != MemorySpace::kParameter;
}

std::uint32_t WarpTime::accesses_on(std::uint32_t event, std::int64_t count) const {
  std::uint32_t there = event;
  const std::int64_t by = count > 0 ? 1 : -1;
  for (; count != 0; count -= by) {
    std::uint32_t before = there;
    std::uint32_t next = instructions_on(before, by);
    while (next != before && !is_access(next)) {
      before = next;
      next = instructions_on(before, by);
    }
    if (next == before) break;
    there = next;
  }
  return there;
}

// Of the stretch of one phase that own[place] lies in.
std::size_t WarpTime::phase_begin(std::size_t place) const {
  while (place > 0 && phase_of(own[place - 1]) == phase_of(own[place])) --place;
  return place;
}

std::uint32_t WarpTime::phases_on(std::uint32_t event, std::int64_t count) const {
  if (own.empty()) return event;
  const std::size_t before = done(event);
  std::size_t place = before == 0 ? 0 : before - 1;
  std::uint32_t there = event;
  for (; count > 0; --count) {
    std::size_t next = place + 1;
    while (next < own.size() && phase_of(own[next]) == phase_of(own[place])) ++next;
    if (next >= own.size()) break;
    place = next;
    there = std::max(own[place], event);
  }
  for (; count < 0; ++count) {
    const std::size_t begin = phase_begin(place);
    if (begin == 0) return std::min(own[0], event);
    place = phase_begin(begin - 1);
    there = own[place];
  }
  return there;
}

std::uint32_t WarpTime::steps_on(std::uint32_t event, std::int64_t count) const {
  const std::vector<std::uint32_t>& begins = steps();
  const auto after = std::ranges::upper_bound(begins, event) - begins.begin();
  const auto now = static_cast<std::int64_t>(std::max<std::ptrdiff_t>(after - 1, 0));
  const auto wanted =
      std::clamp<std::int64_t>(now + count, 0, static_cast<std::int64_t>(begins.size()) - 1);
  if (count > 0 && wanted == now) return event;
  const std::uint32_t there = begins[static_cast<std::size_t>(wanted)];
  return count > 0 ? there : std::min(there, event);
}

}  // namespace tilescope
