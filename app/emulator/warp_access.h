#pragma once
#include <array>
#include <cstdint>

#include "emulator/program.h"

namespace tilescope {

inline constexpr int kWarpSize = 32;

// One executed memory instruction of one warp: the address of each active lane.
// Global addresses are device addresses; shared ones are byte offsets into the block's shared
// memory, and into another block's with its rank in the cluster from bit 24 on. A cp.async makes
// two accesses: the global read, then the shared write.
struct WarpAccess {
  std::array<std::uint64_t, kWarpSize> address{};  // inactive lanes: unspecified
  std::uint32_t active = 0;                        // bit l: lane l takes part
  std::uint8_t bytes_per_lane = 0;                 // 1, 2, 4, 8 or 16
  MemorySpace space = MemorySpace::kGlobal;        // kGlobal, kShared, kLocal, kClusterShared
  AccessKind kind = AccessKind::kLoad;
  bool continued = false;  // its other lanes, in another space, were told just before
};

}  // namespace tilescope
