#pragma once
#include <cstdint>
#include <vector>

#include "analysis/warp_timing.h"

namespace tilescope {

// What a warp is about in a stretch of cycles.
enum class LaneState : std::uint8_t {
  kEnded,   // or not begun
  kActive,  // issues, or will as soon as its turn, its unit or a fixed latency lets it
  kLongScoreboard,
  kShortScoreboard,
  kBarrier,
};
inline constexpr std::size_t kLaneStateCount = 5;

struct LaneSlice {
  LaneState state = LaneState::kEnded;  // that most of its cycles are spent in
  std::uint32_t event = kNever;         // the instruction of that state, into BlockTrace::events
  bool loads_global = false;            // a load from global memory or a cp.async is under way
  bool loads_shared = false;            // one from shared memory is
  bool computes = false;                // arithmetic with floating-point results is issued
};

// The way of one warp from `first` on, in `count` slices of `cycles_each` cycles.
[[nodiscard]] std::vector<LaneSlice> warp_lane(const Program& program, const WarpTiming& timing,
                                               const BlockTrace& trace, std::uint32_t warp,
                                               double first, double cycles_each, std::size_t count);

}  // namespace tilescope
