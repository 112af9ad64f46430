#pragma once
#include <cstdint>
#include <vector>

#include "analysis/warp_timing.h"
#include "emulator/program.h"

namespace tilescope {

// What a block brings into shared memory in one go: the copies of one cp.async group, or the stores
// between two barriers, of what was loaded from global memory. Zeros that are set, and values that
// are made of what lies in shared memory already, are brought from nowhere: no copy. Cycles are
// those of WarpTiming.
struct TileCopy {
  std::uint32_t row = 0;              // which part of shared memory it fills: TileCopies::rows
  bool is_async = false;              // cp.async: no register in between
  std::uint32_t issue = 0;            // the first load of what is stored
  std::uint32_t landed = 0;           // the last such load has its data; cp.async: as `arrived`
  std::uint32_t stored = kNever;      // the first store; cp.async: kNever
  std::uint32_t arrived = 0;          // all of it lies in shared memory
  std::uint32_t first_read = kNever;  // the first load of it; kNever: nobody reads it
  std::uint32_t last_use = 0;         // the last instruction that works with what was read
};

struct TileCopies {
  std::vector<TileCopy> tiles;      // in the order in which they were begun
  std::vector<std::uint32_t> rows;  // first byte of each part, ascending: the stages of a ring

  // Medians over the tiles that are read, in cycles, of a copy (without the time that it lies in
  // registers) and of its use; 0 without any. The first fifth and the last
  // tile stay out where there are ten or more, as a pipeline has to fill and to empty.
  [[nodiscard]] std::uint32_t copy_cycles() const;
  [[nodiscard]] std::uint32_t use_cycles() const;
  // Copies under way at once, on average while any is.
  [[nodiscard]] double in_flight() const;
};

// Follows the data: a store into shared memory brings what its registers were loaded with, a load
// from it reads what was last written there (judged by its first active lane).
[[nodiscard]] TileCopies tile_copies(const Program& program, const BlockTrace& trace,
                                     const std::vector<InstructionCost>& costs,
                                     const WarpTiming& timing);

}  // namespace tilescope
