#include "scene/selected_time.h"

#include "scene/tiling/copy_flow.h"

namespace tilescope {

WarpTime time_of(const KernelStudy& study, const PreparedStudy& prepared, std::uint32_t warp) {
  WarpTime time{study, warp, {}};
  const auto& events = prepared.flow->warp_events;
  if (warp < events.size()) time.own = events[warp];
  return time;
}

}  // namespace tilescope
