#include "analysis/memory/coalescing.h"

#include <gtest/gtest.h>

#include "accesses.h"

namespace tilescope {
namespace {

WarpAccess strided(std::uint64_t base, std::uint64_t stride, std::uint32_t active = 0xffffffffu,
                   int bytes = 4) {
  return access_at(
      MemorySpace::kGlobal, bytes, [=](std::uint64_t lane) { return base + lane * stride; },
      active);
}

void expect_cost(const WarpAccess& access, int sectors, int useful, int ideal, int lines) {
  const SectorCost cost = sector_cost(access);
  EXPECT_EQ(cost.sectors, sectors);
  EXPECT_EQ(cost.useful_bytes, useful);
  EXPECT_EQ(cost.ideal_sectors, ideal);
  EXPECT_EQ(cost.lines, lines);
}

TEST(SectorCost, UnitStrideFillsFourSectors) { expect_cost(strided(0, 4), 4, 128, 4, 1); }
TEST(SectorCost, ShiftByOneFloatAddsASector) { expect_cost(strided(4, 4), 5, 128, 4, 2); }
TEST(SectorCost, StrideTwoHalvesTheUse) { expect_cost(strided(0, 8), 8, 128, 4, 2); }
TEST(SectorCost, ColumnWalkTakesASectorPerLane) { expect_cost(strided(0, 4096), 32, 128, 4, 32); }
TEST(SectorCost, BroadcastCountsItsBytesOnce) { expect_cost(strided(64, 0), 1, 4, 1, 1); }
TEST(SectorCost, BackwardsIsAsGoodAsForwards) {
  expect_cost(access_at(MemorySpace::kGlobal, 4, [](std::uint64_t l) { return 4096 - 4 * l; }), 5,
              128, 4, 2);
}
TEST(SectorCost, WideLanesFillSixteenSectors) {
  expect_cost(strided(0, 16, 0xffffffffu, 16), 16, 512, 16, 4);
}
TEST(SectorCost, OneLaneMovesOneSector) { expect_cost(strided(0, 4, 1), 1, 4, 1, 1); }
// Measured on an H200 (tests/corpus, probe_global_atomic_* and probe_global_reduce_*).
TEST(SectorCost, AtomicLanesWithOneAddressTakeTurns) {
  const auto sectors = [](const std::function<std::uint64_t(std::uint64_t)>& address_of) {
    WarpAccess access = access_at(MemorySpace::kGlobal, 4, address_of);
    access.kind = AccessKind::kAtomic;
    return sector_cost(access).sectors;
  };
  EXPECT_EQ(sectors([](std::uint64_t l) { return 4 * l; }), 4);
  EXPECT_EQ(sectors([](std::uint64_t l) { return 8 * l; }), 8);
  EXPECT_EQ(sectors([](std::uint64_t l) { return l / 2 * 4; }), 4);
  EXPECT_EQ(sectors([](std::uint64_t) { return 64; }), 32);
}
// Chains of loads that hit the L1 of an H200: 8 warps take 258 to 261, 130, 66, 65 clocks a step.
TEST(SectorCost, RowsThatBeginInOneQuarterOfALineConflict) {
  EXPECT_EQ(sector_cost(strided(0, 4096)).in_quarter, 32);
  EXPECT_EQ(sector_cost(strided(0, 192)).in_quarter, 16);
  EXPECT_EQ(sector_cost(strided(0, 4128)).in_quarter, 8);
  EXPECT_EQ(sector_cost(strided(0, 132)).in_quarter, 8);
  EXPECT_EQ(sector_cost(strided(0, 4)).in_quarter, 1);
}
TEST(SectorCost, NoActiveLaneMovesNothing) { expect_cost(strided(0, 4, 0), 0, 0, 0, 0); }

}  // namespace
}  // namespace tilescope
