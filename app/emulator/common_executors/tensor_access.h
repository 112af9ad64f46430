#pragma once
#include <cstdint>

#include "ptx/modifiers.h"

namespace tilescope {

// How a tensor copy was written: MicroOp::immediate.
struct TensorAccess {
  std::uint8_t rank = 1;
  bool is_im2col = false;
  bool has_mask = false;  // .multicast::cluster
  std::uint8_t reserved = 0;
  Modifier reduction{};
  std::uint16_t more = 0;
};
static_assert(sizeof(TensorAccess) == 8);

// Further rows of a tensor copy: addresses of the box in shared memory, of the map and of the
// mbarrier, then their displacements, coordinates, offsets of im2col, the mask of blocks.
// MicroOp::flags bit i: address i has 64 bits.
struct TensorRows {
  static constexpr unsigned kBox = 0;
  static constexpr unsigned kMap = 1;
  static constexpr unsigned kBarrier = 2;
  static constexpr unsigned kDisplacements = 3;
  static constexpr unsigned kCoordinates = 6;
  static constexpr unsigned kOffsets = 11;
  static constexpr unsigned kMask = 14;
};

}  // namespace tilescope
