#pragma once
#include <cstdint>
#include <vector>

#include "analysis/divergence.h"

namespace tilescope {

// Part of a warp's time as one column of its picture: what most of its instructions do.
struct LaneColumn {
  std::uint32_t begin = 0;  // into WarpLanes::events
  std::uint32_t end = 0;
  LaneStates states;  // each lane's most frequent one
  LaneSlots slots;
  std::int16_t path = kTogether;  // that most of them lie on
};

// The instructions begin .. end of a warp in at most `most` columns of the same number of
// instructions (the last may have fewer).
[[nodiscard]] std::vector<LaneColumn> lane_columns(const Program& program, const BlockTrace& trace,
                                                   const WarpLanes& warp, std::uint32_t begin,
                                                   std::uint32_t end, std::uint32_t most);

}  // namespace tilescope
