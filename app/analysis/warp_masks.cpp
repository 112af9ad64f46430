#include "analysis/warp_masks.h"

namespace tilescope {

BlockMasks read_masks(const Program& program, const BlockTrace& trace,
                      std::vector<WarpLanes>& warps) {
  const std::vector<bool> decides = deciding_instructions(program);
  BlockMasks masks;
  masks.changes.resize(warps.size());
  masks.whole.resize(program.instructions().size());
  for (WarpLanes& warp : warps) warp.events.reserve(trace.events.size() / warps.size() + 1);
  std::uint32_t index = 0;
  for (const TraceEvent& event : trace.events) {
    WarpLanes& warp = warps[event.warp];
    std::vector<MaskChange>& changes = masks.changes[event.warp];
    const auto own = static_cast<std::uint32_t>(warp.events.size());
    warp.events.push_back(index++);
    if (changes.empty() || changes.back().present != event.present) {
      changes.push_back({own, event.present});
    }
    if ((decides[event.instruction] ? event.present : event.active) == kAllLanes) {
      ++masks.whole[event.instruction];
    } else {
      warp.partial.push_back(own);
    }
  }
  return masks;
}

}  // namespace tilescope
