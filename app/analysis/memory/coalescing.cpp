#include "analysis/memory/coalescing.h"

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

// A line has four quarters of one sector each: how many distinct sectors lie in the busiest one.
int most_in_quarter(const Addresses& sorted) {
  std::array<int, kLineBytes / kSectorBytes> quarters{};
  std::uint64_t before = ~std::uint64_t{0};
  for (int i = 0; i < sorted.count; ++i) {
    const std::uint64_t sector = sorted.value[static_cast<std::size_t>(i)] / kSectorBytes;
    if (sector != before) ++quarters[sector % quarters.size()];
    before = sector;
  }
  return *std::ranges::max_element(quarters);
}

// Sectors when lanes with one address take turns: in each sector as many as its busiest address has
// lanes.
int sectors_in_turns(const Addresses& sorted) {
  int sectors = 0;
  int most = 0;
  int lanes = 0;
  for (int i = 0; i < sorted.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool same_address = i != 0 && sorted.value[at] == sorted.value[at - 1];
    const bool same_sector =
        i != 0 && sorted.value[at] / kSectorBytes == sorted.value[at - 1] / kSectorBytes;
    lanes = same_address ? lanes + 1 : 1;
    most = same_sector ? std::max(most, lanes) : 1;
    const bool last = i + 1 == sorted.count ||
                      sorted.value[at + 1] / kSectorBytes != sorted.value[at] / kSectorBytes;
    if (last) sectors += most;
  }
  return sectors;
}

}  // namespace

SectorCost sector_cost(const WarpAccess& access) {
  Addresses active;
  bool rise = true;  // most do
  std::uint64_t before = 0;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1u) == 0) continue;
    const std::uint64_t address = access.address[lane];
    active.value[static_cast<std::size_t>(active.count++)] = address;
    rise = rise && address >= before;
    before = address;
  }
  if (!rise) std::sort(active.value.begin(), active.value.begin() + active.count);
  SectorCost cost;
  cost.sectors =
      access.kind == AccessKind::kAtomic ? sectors_in_turns(active) : distinct(active, 5);
  cost.lines = distinct(active, 7);
  cost.in_quarter = most_in_quarter(active);
  cost.useful_bytes = distinct(active, 0) * access.bytes_per_lane;
  constexpr int kSector = static_cast<int>(kSectorBytes);
  cost.ideal_sectors = (cost.useful_bytes + kSector - 1) / kSector;
  return cost;
}

SectorCost local_sector_cost(const WarpAccess& access) {
  constexpr std::uint64_t kWord = 4;
  WarpAccess woven = access;
  SectorCost cost;
  const std::uint64_t words = std::max<std::uint64_t>(access.bytes_per_lane / kWord, 1);
  for (std::uint64_t word = 0; word < words; ++word) {
    for (std::uint64_t lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t own = access.address[lane] / kWord + word;
      woven.address[lane] = (own * kWarpSize + lane) * kWord;
    }
    woven.bytes_per_lane =
        static_cast<std::uint8_t>(std::min<std::uint64_t>(access.bytes_per_lane, kWord));
    const SectorCost one = sector_cost(woven);
    cost.sectors += one.sectors;
    cost.lines += one.lines;
    cost.useful_bytes += one.useful_bytes;
    cost.ideal_sectors += one.ideal_sectors;
  }
  return cost;
}

}  // namespace tilescope
