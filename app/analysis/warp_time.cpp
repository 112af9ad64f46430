#include "analysis/warp_time.h"

#include <algorithm>

namespace tilescope {

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
