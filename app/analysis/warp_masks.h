#pragma once
#include <cstdint>
#include <vector>

#include "analysis/divergence.h"

namespace tilescope {

inline constexpr std::uint32_t kAllLanes = 0xffffffff;

// From its event `index` on these lanes of a warp come along.
struct MaskChange {
  std::uint32_t index = 0;
  std::uint32_t present = 0;
};

// What each warp's events are, read once in the order of the trace.
struct BlockMasks {
  std::vector<std::vector<MaskChange>> changes;  // by warp, ascending
  std::vector<std::uint64_t> whole;  // executions in which all 32 lanes work, by instruction
};
// Fills in `events` and `partial` of the warps. Precondition: one for each warp of the block.
[[nodiscard]] BlockMasks read_masks(const Program& program, const BlockTrace& trace,
                                    std::vector<WarpLanes>& warps);

}  // namespace tilescope
