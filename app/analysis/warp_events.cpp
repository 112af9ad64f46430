#include "analysis/warp_events.h"

namespace tilescope {

std::vector<std::vector<std::uint32_t>> events_by_warp(const BlockTrace& trace, std::size_t warps) {
  std::vector<std::vector<std::uint32_t>> events(warps);
  for (std::uint32_t e = 0; e < trace.events.size(); ++e) {
    const std::uint16_t warp = trace.events[e].warp;
    if (warp >= events.size()) events.resize(warp + std::size_t{1});
    events[warp].push_back(e);
  }
  return events;
}

}  // namespace tilescope
