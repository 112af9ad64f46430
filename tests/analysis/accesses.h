#pragma once
#include <bit>
#include <functional>

#include "emulator/warp_access.h"

namespace tilescope {

// An access whose lane l lies at address_of(l).
inline WarpAccess access_at(MemorySpace space, int bytes_per_lane,
                            const std::function<std::uint64_t(std::uint64_t)>& address_of,
                            std::uint32_t active = 0xffffffffu) {
  WarpAccess access;
  access.space = space;
  access.bytes_per_lane = static_cast<std::uint8_t>(bytes_per_lane);
  access.active = active;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) access.address[lane] = address_of(lane);
  return access;
}

}  // namespace tilescope
