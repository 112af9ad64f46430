#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/time/instruction_cost.h"
#include "analysis/time/warp_timing.h"
#include "emulator/register_use.h"

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
[[nodiscard]] TileCopies tile_copies(const BlockTrace& trace,
                                     const std::vector<StaticInstruction>& instructions,
                                     const std::vector<InstructionCost>& costs,
                                     const RegisterUses& uses, const WarpTiming& timing);

// Which writes into shared memory bring one tile: the copies of one cp.async group, or the stores
// between two barriers, of all warps of a block; and where the tiles lie. Tiles are counted in the
// order in which they begin. To be told of a block's instructions in the order of its trace.
class TileEpochs {
 public:
  static constexpr std::uint32_t kNobody = 0xffffffff;

  explicit TileEpochs(std::size_t warps) : warps_(warps) {}

  // The warp executes an instruction of that effect: a group ends, a barrier is passed.
  void pass(std::uint32_t warp, TimingEffect effect);
  // The tile that the warp's cp.async, or its store, belongs to now; a new one where it is its
  // first.
  [[nodiscard]] std::uint32_t tile_of(std::uint32_t warp, bool is_async);

  // The four bytes of shared memory that `byte` lies in hold the tile from now on, or, by kNobody,
  // none.
  void write(std::uint32_t byte, std::uint32_t tile);
  [[nodiscard]] std::uint32_t writer(std::uint32_t byte) const;  // kNobody: no tile

  // First byte of each part of shared memory that tiles fill, ascending: the stages of a ring.
  // More than 16 are none: {}.
  [[nodiscard]] std::vector<std::uint32_t> parts() const;
  // Which of those the tile fills. Precondition: parts are those of parts(), and it was written.
  [[nodiscard]] std::uint32_t part_of(std::uint32_t tile,
                                      const std::vector<std::uint32_t>& parts) const;

 private:
  struct Warp {
    std::uint32_t group = 0;    // of cp.async, ended
    std::uint32_t barrier = 0;  // passed
  };
  std::vector<Warp> warps_;
  std::map<std::pair<bool, std::uint32_t>, std::uint32_t> by_epoch_;
  std::vector<std::uint32_t> first_byte_;  // by tile
  std::vector<std::uint32_t> writer_;      // by byte / 4; may be shorter
};

}  // namespace tilescope
