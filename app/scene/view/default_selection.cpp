#include "scene/view/default_selection.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "scene/model/copy_flow.h"
#include "scene/model/tiling_model.h"

namespace tilescope {
namespace {

// Half way through what warp 0 stores: of a kernel without a loop the moment that shows most.
std::optional<std::uint32_t> middle_store(const KernelStudy& study, const PreparedStudy& prepared) {
  if (prepared.warps.empty()) return std::nullopt;
  std::vector<std::uint32_t> stores;
  for (const std::uint32_t event : prepared.warps[0].global) {
    const std::uint32_t instruction = study.trace->events[event].instruction;
    if (study.program->instructions()[instruction].access == AccessKind::kStore)
      stores.push_back(event);
  }
  if (stores.empty()) return std::nullopt;
  return stores[(stores.size() - 1) / 2];
}

}  // namespace

std::uint64_t default_block(const Dim3& grid) {
  return flatten({std::min(3U, grid.x - 1), std::min(2U, grid.y - 1), 0}, grid);
}

std::uint32_t event_in_step(const KernelStudy& study, const PreparedStudy& prepared,
                            std::uint32_t warp, std::uint32_t step) {
  const std::vector<std::vector<std::uint32_t>>& warp_steps = study.timeline->warp_steps;
  if (warp >= warp_steps.size() || warp_steps[warp].empty()) return 0;
  const std::vector<std::uint32_t>& begin = warp_steps[warp];
  const std::size_t at = std::min<std::size_t>(step, begin.size() - 1);
  const auto last = static_cast<std::uint32_t>(study.trace->events.size());
  const std::uint32_t end = at + 1 < begin.size() ? begin[at + 1] : last;
  const std::vector<std::uint32_t>& own = prepared.flow->warp_events[warp];
  const auto first = std::lower_bound(own.begin(), own.end(), begin[at]);
  const auto after = std::lower_bound(first, own.end(), end);
  if (first == after) return begin[at];
  return *(first + (after - first - 1) * 2 / 3);
}

Selection middle_of_time(const KernelStudy& study, const PreparedStudy& prepared) {
  Selection selection;
  selection.block = flatten(study.trace->block, study.launch.grid);
  // A block of fewer threads has fewer lanes.
  selection.lane = static_cast<int>(std::min<std::uint64_t>(6, study.launch.block.count())) - 1;
  const std::uint32_t middle = prepared.tiling->steps / 2;
  selection.event = event_in_step(study, prepared, 0, middle);
  if (prepared.tiling->steps == 1) {
    if (const auto store = middle_store(study, prepared)) selection.event = *store;
  }
  return selection;
}

void look_at(const KernelStudy& study, std::uint32_t event, Selection& selection) {
  selection.event = event;
  selection.line =
      study.program->instructions()[study.trace->events[event].instruction].outermost.line;
}

WarpTime time_of(const KernelStudy& study, const PreparedStudy& prepared, std::uint32_t warp) {
  WarpTime time{study, warp, {}};
  const auto& events = prepared.flow->warp_events;
  if (warp < events.size()) time.own = events[warp];
  return time;
}

}  // namespace tilescope
