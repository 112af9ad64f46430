#include "analysis/time/time_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tilescope {
namespace {

MachineRates machine() {
  DeviceModel device;
  device.compute_capability = 90;
  device.multiprocessors = 100;
  device.fp32_lanes_per_multiprocessor = 128;
  device.boost_clock_hz = 1e9;
  device.memory_bytes_per_second = 1e12;
  return rates_of(device);
}

// 64 warps on every multiprocessor, many times over.
LaunchWork busy() {
  LaunchWork work;
  work.blocks = 80'000;
  work.warps_per_block = 8;
  work.resident_blocks = 8;
  return work;
}

double working(const LaunchWork& work) {
  const TimeBounds bounds = bounds_of(work, machine());
  return bounds.total() - bounds.launch;
}

TEST(TimeModel, BytesTakeAsLongAsACopyTakesForThem) {
  LaunchWork work = busy();
  work.dram_read_bytes = 1e9;
  work.dram_write_bytes = 1e9;
  const TimeBounds bounds = bounds_of(work, machine());
  EXPECT_NEAR(bounds[Limit::kDram], 2e-3 / 0.88, 1e-6);
  EXPECT_EQ(bounds.first(), Limit::kDram);
}

TEST(TimeModel, AWavefrontTakesAClockOfItsMultiprocessor) {
  LaunchWork work = busy();
  work.shared_wavefronts = 1e8;
  EXPECT_NEAR(bounds_of(work, machine())[Limit::kL1], 1e-3, 1e-9);
}

TEST(TimeModel, FourWarpInstructionsAreIssuedInAClock) {
  LaunchWork work = busy();
  work.pipes.issued = 4e8;
  EXPECT_NEAR(bounds_of(work, machine())[Limit::kIssue], 1e-3, 1e-9);
}

TEST(TimeModel, PartsOfOneWarpAddUpAndThoseOfManyOverlap) {
  LaunchWork work = busy();
  work.pipes.issued = 4e8;
  work.shared_wavefronts = 1e8;
  EXPECT_LT(working(work), 1.25e-3);
  work.resident_blocks = 1;
  work.warps_per_block = 1;
  EXPECT_GT(working(work), 1.8e-3);
}

TEST(TimeModel, CopiesUnderWayOverlapWithTheRest) {
  LaunchWork work = busy();
  work.resident_blocks = 1;
  work.loads.sectors = work.block_sectors = 1e8;
  work.pipes.issued = 4e8;
  const double alone = working(work);
  work.path.copies = 3;
  EXPECT_LT(working(work), 0.85 * alone);
  // What happens inside the multiprocessor is not copied.
  work.block_sectors = 0;
  work.shared_wavefronts = 1e8;
  const double inside = working(work);
  work.path.copies = 0;
  EXPECT_DOUBLE_EQ(working(work), inside);
}

TEST(TimeModel, AnInstructionAndItsUnitAreOneThing) {
  LaunchWork work = busy();
  work.pipes.issued = 4e8;
  const double alone = working(work);
  work.pipes.fp32 = 4e8;
  EXPECT_DOUBLE_EQ(working(work), alone);
}

TEST(TimeModel, OneBlockMoreThanMultiprocessorsTakesTwiceAsLong) {
  LaunchWork work = busy();
  work.blocks = 101;
  EXPECT_NEAR(imbalance(work, machine()), 2 / 1.01, 1e-9);
  work.even = true;
  EXPECT_EQ(imbalance(work, machine()), 1);
}

TEST(TimeModel, APartlyWrittenSectorCostsTheL2More) {
  LaunchWork work = busy();
  work.stores.sectors = work.stores.sectors_ideal = 1e6;
  const double whole = bounds_of(work, machine())[Limit::kL2];
  work.stores.sectors_ideal = 0;
  EXPECT_NEAR(bounds_of(work, machine())[Limit::kL2], 4.4 * whole, 1e-12);
}

}  // namespace
}  // namespace tilescope
