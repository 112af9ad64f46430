#include "analysis/coalescing.h"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

struct Addresses {
  std::array<std::uint64_t, kWarpSize> value;
  int count = 0;
};

// Distinct values of address >> shift over the active lanes.
int distinct(const Addresses& sorted, int shift) {
  int count = 0;
  for (int i = 0; i < sorted.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (i == 0 || sorted.value[at] >> shift != sorted.value[at - 1] >> shift) ++count;
  }
  return count;
}

}  // namespace

SectorCost sector_cost(const WarpAccess& access) {
  Addresses active;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1u) != 0) {
      active.value[static_cast<std::size_t>(active.count++)] = access.address[lane];
    }
  }
  std::sort(active.value.begin(), active.value.begin() + active.count);
  SectorCost cost;
  cost.sectors = distinct(active, 5);
  cost.lines = distinct(active, 7);
  cost.useful_bytes = distinct(active, 0) * access.bytes_per_lane;
  constexpr int kSector = static_cast<int>(kSectorBytes);
  cost.ideal_sectors = (cost.useful_bytes + kSector - 1) / kSector;
  return cost;
}

}  // namespace tilescope
