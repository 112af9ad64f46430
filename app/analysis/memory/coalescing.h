#pragma once

#include <cstdint>

#include "emulator/warp_access.h"

namespace tilescope {

inline constexpr std::uint32_t kSectorBytes = 32;
inline constexpr std::uint32_t kLineBytes = 128;

// Cost of one warp-wide global access, counted in 32-byte sectors (CUDA Best Practices Guide,
// "Coalesced Access to Global Memory"; equal to l1tex__t_sectors on an H200). Lanes of an atomic or
// a reduction that have the same address are served one after the other, each with its own sector
// (measured there too, docs/accuracy.md).
struct SectorCost {
  int sectors = 0;        // distinct sectors touched; 0 when no lane is active
  int lines = 0;          // distinct 128-byte lines
  int in_quarter = 0;     // sectors in that quarter of their lines in which most are
  int useful_bytes = 0;   // distinct bytes the lanes asked for
  int ideal_sectors = 0;  // sectors that the distinct bytes would fill without gaps
};

// Precondition: each active address is a multiple of bytes_per_lane, as PTX demands, so no lane
// straddles a sector and two lanes overlap only where their addresses are equal.
[[nodiscard]] SectorCost sector_cost(const WarpAccess& access);

// The same for local memory, which is interleaved: word w of all 32 lanes is one line, so lanes at
// the same place of their stacks share sectors. Addresses are those within each lane's memory.
[[nodiscard]] SectorCost local_sector_cost(const WarpAccess& access);

}  // namespace tilescope
