#pragma once

#include <cstdint>
#include <vector>

#include "analysis/time/warp_timing.h"

namespace tilescope {

// The arithmetic that a program is there for: kFloat; kInteger where it computes with no floats.
[[nodiscard]] InstructionClass arithmetic_of(const Program& program);

// What a warp does during some cycles.
struct WarpSlice {
  bool runs = false;             // false: it has ended, or not begun
  Stall stall = Stall::kNone;    // why it does not issue; kNone: it issues
  std::uint32_t event = kNever;  // the instruction of that, into BlockTrace::events
  bool loads_global = false;     // a load from global memory, or an asynchronous copy, is under way
  bool loads_shared = false;     // one from shared memory is
  bool computes = false;         // arithmetic_of() is issued, integers to the ALU or IMAD pipe
  bool multiplies = false;       // a matrix product is under way in the tensor cores
};

// The part of a warp's instruction that slices need, compact so that drawing a frame is fast.
struct WarpMoment {
  std::uint32_t waits_from = 0;  // cycles, as EventTime has them
  std::uint32_t ready = 0;
  std::uint32_t issue = 0;
  std::uint32_t done = 0;
  std::uint32_t event = 0;
  Stall stall = Stall::kNone;  // until ready
  Stall late = Stall::kNone;   // then, until it issues
  bool loads_global = false;
  bool loads_shared = false;
  bool computes = false;
  bool multiplies = false;
};
// Of each warp, those that were reached, in the order in which it issues them. `costs`: of the
// program's instructions.
[[nodiscard]] std::vector<std::vector<WarpMoment>> warp_moments(
    const Program& program, const std::vector<InstructionCost>& costs, const WarpTiming& timing,
    const BlockTrace& trace);

// What one warp does from cycle `first` on, in `count` slices of `cycles_each` cycles. A slice
// shows one of the warp's activities in it, in runs of a few slices, such that over a longer time
// each activity has as many slices as it has of the cycles, to within kSliceRun + 1: an activity of
// a tenth of the time is a tenth of what is seen, even if the activity changes within every
// slice.
inline constexpr int kSliceRun = 2;
[[nodiscard]] std::vector<WarpSlice> warp_slices(const std::vector<WarpMoment>& moments,
                                                 double first, double cycles_each,
                                                 std::size_t count);

// The slices of a warp's whole time for widths that are powers of two, made once: a frame of a long
// block uses those that it shows. Their edges are at fixed cycles, so that the picture scrolls with
// time and does not flicker.
struct WarpRaster {
  static constexpr int kFinest = 4;  // slices of 2^4 cycles; finer ones are made from few moments
  std::vector<std::vector<WarpSlice>> levels;  // from kFinest on, each of twice the cycles

  WarpRaster() = default;
  WarpRaster(const std::vector<WarpMoment>& moments, std::uint32_t cycles);
  // `count` slices of 2^level cycles from slice `first` on; `moments`: those of the raster.
  [[nodiscard]] std::vector<WarpSlice> slices(const std::vector<WarpMoment>& moments, int level,
                                              std::size_t first, std::size_t count) const;
};

}  // namespace tilescope
