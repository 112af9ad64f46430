#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scene/tiling/move_part.h"

namespace tilescope {

// How the parts lie: beside one another, below one another, or round a corner: in, to its right
// shared memory, below that out.
enum class MoveOrder : std::uint8_t { kAcross, kDown, kCorner };

struct MoveArrangement {
  MoveOrder order = MoveOrder::kAcross;
  std::vector<Rect> boxes;  // of the parts
  float covered = 0;        // area

  [[nodiscard]] bool is_below(std::size_t part) const {
    return part > 0 && (order == MoveOrder::kDown || (order == MoveOrder::kCorner && part == 2));
  }
};

struct MoveRoom {
  Rect area;
  float label;  // above and below each part
  float gap;
  float least;       // side of a part
  float least_wide;  // width of one
  float most;        // side of an element
};

// The order that shows most, the first of those that show as much.
[[nodiscard]] MoveArrangement best_arrangement(const std::vector<MovePart>& parts,
                                               const MoveRoom& room);

}  // namespace tilescope
