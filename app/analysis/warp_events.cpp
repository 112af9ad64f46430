#include "analysis/warp_events.h"

namespace tilescope {

std::vector<std::vector<std::uint32_t>> events_by_warp(const BlockTrace& trace, std::size_t warps) {
  std::vector<std::vector<std::uint32_t>> events(warps);
  trace.events.for_each_passage([&](const EventList::Passage& passage) {
    if (passage.warp >= events.size()) events.resize(passage.warp + std::size_t{1});
    std::vector<std::uint32_t>& own = events[passage.warp];
    for (std::uint32_t i = 0; i < passage.steps.size(); ++i) own.push_back(passage.begin + i);
  });
  return events;
}

}  // namespace tilescope
