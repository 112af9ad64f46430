#include "scene/view/hovered_line.h"

#include <algorithm>

#include "scene/model/prepared.h"
#include "scene/view/view.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostAccesses = 256;

// Events of the warp's present step: [first, second).
std::pair<std::uint32_t, std::uint32_t> present_step(const ViewContext& context) {
  const Timeline& timeline = *context.study->timeline;
  const std::uint32_t warp = context.selection.warp;
  const auto events = static_cast<std::uint32_t>(context.study->trace->events.size());
  if (warp >= timeline.warp_steps.size() || timeline.warp_steps[warp].empty()) return {0, events};
  const std::vector<std::uint32_t>& begin = timeline.warp_steps[warp];
  const std::uint32_t step = timeline.step_of(warp, context.selection.event);
  return {begin[step], step + 1 < begin.size() ? begin[step + 1] : events};
}

void add_accesses(const ViewContext& context, const std::vector<std::uint32_t>& events,
                  std::vector<std::uint32_t>* lit) {
  const auto [first, end] = present_step(context);
  const auto begin = std::ranges::lower_bound(events, first);
  std::size_t found = 0;
  for (auto it = begin; it != events.end() && *it < end && found < kMostAccesses / 2; ++it) {
    if (!is_lit_event(context, *it)) continue;
    lit->push_back(*it);
    ++found;
  }
  if (found > 0) return;
  for (auto it = begin; it != events.begin();) {
    if (is_lit_event(context, *--it)) return lit->push_back(*it);
  }
  for (auto it = begin; it != events.end(); ++it) {
    if (is_lit_event(context, *it)) return lit->push_back(*it);
  }
}

}  // namespace

bool is_lit_event(const ViewContext& context, std::uint32_t event) {
  const std::uint32_t instruction = context.study->trace->events[event].instruction;
  return is_lit(context, context.study->program->instructions()[instruction].outermost.line);
}

std::vector<std::uint32_t> lit_accesses(const ViewContext& context) {
  std::vector<std::uint32_t> lit;
  if (context.hovered_line == 0) return lit;
  const auto prepared = prepared_of(context);
  if (context.selection.warp >= prepared->warps.size()) return lit;
  const PreparedStudy::WarpAccesses& warp = prepared->warps[context.selection.warp];
  add_accesses(context, warp.global, &lit);
  add_accesses(context, warp.shared, &lit);
  std::ranges::sort(lit);
  lit.erase(std::unique(lit.begin(), lit.end()), lit.end());
  return lit;
}

}  // namespace tilescope
