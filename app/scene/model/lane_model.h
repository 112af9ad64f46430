#pragma once

#include <cstdint>
#include <vector>

#include "analysis/study/divergence.h"
#include "analysis/study/kernel_study.h"

namespace tilescope {

// The lanes of the traced block, and the picture of each warp's whole time in few columns.
struct LaneModel {
  static constexpr std::uint32_t kMostColumns = 256;

  BlockLanes block;
  std::vector<std::vector<LaneColumn>> columns;  // by warp
  // Lane slots lost by the trace's events before this one; one more at the end.
  std::vector<std::uint64_t> lost_before;
};
// Precondition: study.traced().
[[nodiscard]] LaneModel lane_model_of(const KernelStudy& study);

}  // namespace tilescope
