#pragma once
#include <cstdint>
#include <vector>

#include "analysis/warp_timing.h"

namespace tilescope {

// What a warp is about in a stretch of cycles.
enum class WarpActivity : std::uint8_t {
  kEnded,   // or not begun
  kActive,  // issues, or will as soon as its turn, its unit or a fixed latency lets it
  kLongScoreboard,
  kShortScoreboard,
  kBarrier,
};
inline constexpr std::size_t kWarpActivityCount = 5;

struct WarpSlice {
  WarpActivity activity = WarpActivity::kEnded;  // that most of its cycles are spent in
  std::uint32_t event = kNever;  // the instruction of that activity, into BlockTrace::events
  bool loads_global = false;     // a load from global memory or a cp.async is under way
  bool loads_shared = false;     // one from shared memory is
  bool computes = false;         // arithmetic with floating-point results is issued
};

// An instruction of a warp as slices need it, close together for the sake of frames.
struct WarpMoment {
  std::uint32_t waits_from = 0;  // cycles, as EventTime has them
  std::uint32_t ready = 0;
  std::uint32_t issue = 0;
  std::uint32_t done = 0;
  std::uint32_t event = 0;
  WarpActivity waiting = WarpActivity::kActive;  // until ready
  bool loads_global = false;
  bool loads_shared = false;
  bool computes = false;
};
// Of each warp, those that were reached, in the order in which it issues them.
[[nodiscard]] std::vector<std::vector<WarpMoment>> warp_moments(const Program& program,
                                                                const WarpTiming& timing,
                                                                const BlockTrace& trace);

// The way of one warp from cycle `first` on, in `count` slices of `cycles_each` cycles.
[[nodiscard]] std::vector<WarpSlice> warp_slices(const std::vector<WarpMoment>& moments,
                                                 double first, double cycles_each,
                                                 std::size_t count);

}  // namespace tilescope
