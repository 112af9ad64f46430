#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/instruction_cost.h"

namespace tilescope {

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
