#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/time/instruction_cost.h"
#include "analysis/time/warp_timing.h"
#include "emulator/block/block_trace.h"
#include "emulator/program.h"

namespace tilescope {

// What a block copies into shared memory at a time: the copies of one cp.async group, the bulk
// copies that one phase of an mbarrier announces, or the stores between two barriers of values that
// were loaded from global memory. Stored zeros, and values
// computed from what is in shared memory already, are no copies. Cycles are those of
// WarpTiming.
struct TileCopy {
  std::uint32_t row = 0;  // which part of shared memory it fills: TileCopies::rows
  bool is_async = false;  // cp.async or in bulk: no register in between
  bool is_bulk = false;
  std::uint64_t bytes = 0;            // of copies that an mbarrier announces
  std::uint32_t issue = 0;            // the first load of what is stored
  std::uint32_t landed = 0;           // the last such load has its data; cp.async: as `arrived`
  std::uint32_t stored = kNever;      // the first store; cp.async: kNever
  std::uint32_t arrived = 0;          // all of it is in shared memory
  std::uint32_t first_read = kNever;  // the first load of it; kNever: nobody reads it
  std::uint32_t last_use = 0;         // the last instruction that works with what was read
};

// What a warp does with tiles.
struct TileUse {
  bool copies = false;  // by bulk copies
  bool reads = false;
  bool multiplies = false;  // matrix products, on tensor cores
};

struct TileCopies {
  std::vector<TileCopy> tiles;  // in the order in which they were begun
  std::vector<TileUse> warps;
  std::vector<std::uint32_t> rows;  // first byte of each part, ascending: the stages of a ring

  // Medians over the tiles that are read, in cycles, of a copy (without the time that it is in
  // registers) and of its use; 0 without any. The first fifth and the last
  // tile stay out where there are ten or more, as a pipeline has to fill and to empty.
  [[nodiscard]] std::uint32_t copy_cycles() const;
  [[nodiscard]] std::uint32_t use_cycles() const;
  // Copies under way at once, and their bytes, on average while any is.
  [[nodiscard]] double in_flight() const;
  [[nodiscard]] double bytes_in_flight() const;

  // Warps that only copy tiles, for others that only read them ("warp specialisation"). Where some
  // of the readers execute matrix products, these alone are consumers; the other readers are
  // helpers, which change a tile before it is multiplied.
  [[nodiscard]] std::vector<std::uint32_t> producers() const;
  [[nodiscard]] std::vector<std::uint32_t> consumers() const;
  [[nodiscard]] std::vector<std::uint32_t> helpers() const;
  [[nodiscard]] bool has_producers() const { return !producers().empty(); }
};

// Follows the data: a store into shared memory copies what its registers were loaded with, a load
// from it reads what was last written there (judged by its first active lane).
[[nodiscard]] TileCopies tile_copies(const Program& program, const BlockTrace& trace,
                                     const std::vector<InstructionCost>& costs,
                                     const WarpTiming& timing);

// Which writes into shared memory are of one tile: the copies that one phase of an mbarrier
// announces, those of one cp.async group, or the stores between two barriers, of all warps of a
// block; and where the tiles are. Tiles are numbered in the order in which they begin. Call it for
// a block's instructions in the order of its trace.
class TileEpochs {
 public:
  static constexpr std::uint32_t kNobody = 0xffffffff;

  explicit TileEpochs(std::size_t warps) : warps_(warps) {}
  // For a block that may wait for its cp.async at mbarriers.
  TileEpochs(const Program& program, const BlockTrace& trace, std::size_t warps);

  // The warp executes an instruction of that effect: a group ends, a barrier is passed.
  void pass(std::uint32_t warp, TimingEffect effect);
  // The tile that the warp's cp.async, or its store, at this event belongs to; a new one where it
  // is its first.
  [[nodiscard]] std::uint32_t tile_of(std::uint32_t warp, std::uint32_t event, bool is_async);
  // Whether the warp's cp.async from here on are announced by mbarriers.
  [[nodiscard]] bool uses_mbarriers(std::uint32_t warp) const;
  // That which a bulk copy fills.
  [[nodiscard]] std::uint32_t tile_of(const BulkCopy& copy);

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
  using Phase = std::pair<std::uint32_t, std::uint32_t>;  // mbarrier, number
  // cp.async.mbarrier.arrive: the warp's copies before it are announced by this phase.
  struct Arrival {
    std::uint32_t event = 0;
    Phase phase;
  };
  struct Warp {
    std::uint32_t group = 0;    // of cp.async, ended
    std::uint32_t barrier = 0;  // passed
    std::vector<Arrival> arrivals;
    std::size_t next_arrival = 0;
  };
  std::uint32_t tile_of(Phase phase);
  std::vector<Warp> warps_;
  std::map<std::pair<bool, std::uint32_t>, std::uint32_t> by_epoch_;
  std::map<Phase, std::uint32_t> by_phase_;
  std::vector<std::uint32_t> first_byte_;  // by tile
  std::vector<std::uint32_t> writer_;      // by byte / 4; may be shorter
};

}  // namespace tilescope
