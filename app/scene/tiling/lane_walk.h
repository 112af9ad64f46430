#pragma once
#include <cstdint>

namespace tilescope {

// Which way a warp's lanes go through a matrix from one lane to the next.
enum class LaneWalk : std::uint8_t { kNone, kRow, kColumn };

// Neighbouring lanes whose elements lie in one row, and in one column.
struct LanePairs {
  std::uint64_t along_row = 0;
  std::uint64_t down_column = 0;
  // What most pairs do; kNone where there is no pair, or as many go the other way.
  [[nodiscard]] LaneWalk walk() const {
    if (along_row == down_column) return LaneWalk::kNone;
    return along_row > down_column ? LaneWalk::kRow : LaneWalk::kColumn;
  }
};

}  // namespace tilescope
