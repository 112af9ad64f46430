#include "analysis/time/time_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "analysis/time/instruction_cost.h"

namespace tilescope {
namespace {

DeviceModel device() {
  DeviceModel device;
  device.compute_capability = 90;
  device.multiprocessors = 100;
  device.fp32_lanes_per_multiprocessor = 128;
  device.boost_clock_hz = 1e9;
  device.memory_bytes_per_second = 1e12;
  return device;
}

MachineRates machine() { return rates_of(device()); }

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

// What was measured of a GPU takes the place of what is usual, fitted constants in proportion.
TEST(TimeModel, ACalibratedGpuHasItsOwnRates) {
  DeviceModel own = device();
  MeasuredRates& measured = own.measured.emplace();
  measured.launch_seconds = 6.3e-6;
  measured.block_start_clocks = 3;
  measured.warp_start_clocks = 7;
  measured.barrier_clocks = 20;
  measured.barrier_warp_clocks = 1;
  measured.shared_latency = 20;
  measured.l1_latency = 30;
  measured.l2_latency = 200;
  measured.dram_latency = 500;
  measured.l2_sectors = 1;
  measured.dram_bytes_per_second = 0.5e12;
  measured.atomic_address_clocks = 2;
  const MachineRates usual = machine();
  const MachineRates rates = rates_of(own);
  EXPECT_EQ(rates.block_start_clocks, 3);
  EXPECT_EQ(rates.barrier_clocks, 20);
  EXPECT_EQ(rates.idle_dram_latency, 500);
  EXPECT_EQ(rates.dram_bytes_per_second, 0.5e12);
  EXPECT_GT(rates.launch_seconds, usual.launch_seconds);
  EXPECT_LT(rates.loaded_dram_latency, usual.loaded_dram_latency);
  EXPECT_NEAR(rates.loaded_l2_latency / rates.idle_l2_latency,
              usual.loaded_l2_latency / usual.idle_l2_latency, 1e-9);
  EXPECT_EQ(rates.tensor_flop, usual.tensor_flop);  // not measured
  LaunchWork work = busy();
  work.dram_read_bytes = 1e9;
  EXPECT_NEAR(bounds_of(work, rates)[Limit::kDram], 2e-3, 1e-9);
}

TEST(TimeModel, GivesARangeWhereOneNumberWouldSayTooMuch) {
  LaunchWork work = busy();
  work.dram_read_bytes = 1e9;
  EXPECT_FALSE(range_of(bounds_of(work, machine()), machine()));

  LaunchWork adding = busy();
  adding.atomics = {.sectors = 1e6, .again = 1e7, .lanes = 1e7, .bytes = 4};
  const TimeBounds meeting = bounds_of(adding, machine());
  const auto range = range_of(meeting, machine());
  ASSERT_TRUE(range);
  EXPECT_LT(range->least, 0.7 * meeting.total());
  EXPECT_GT(range->most, 1.4 * meeting.total());
  EXPECT_NE(time_words(meeting, machine()).find(" to "), std::string::npos);
  EXPECT_NE(time_words(meeting, machine()).find("atomics"), std::string::npos);

  DeviceModel other = device();
  other.compute_capability = 89;
  const MachineRates rates = rates_of(other);
  const TimeBounds bounds = bounds_of(work, rates);
  ASSERT_TRUE(range_of(bounds, rates));
  EXPECT_NEAR(range_of(bounds, rates)->most, 2 * bounds.total(), 1e-12);
}

// The same additions, to words of one slice of the L2 or of many.
TEST(TimeModel, AdditionsGoOnInEachSliceThatHasSomeOfTheAddresses) {
  const auto atomics = [](double bytes) {
    LaunchWork adding = busy();
    adding.atomics = {.sectors = 1e7, .again = 0, .lanes = 1e7, .bytes = bytes};
    return bounds_of(adding, machine())[Limit::kAtomics];
  };
  EXPECT_NEAR(atomics(512), 1e7 * 1.4 / 1e9, 1e-6);
  EXPECT_NEAR(atomics(512) / atomics(2048), 3.7, 0.1);
  EXPECT_NEAR(atomics(512) / atomics(1 << 20), 55, 2);
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

TEST(TimeModel, PartsOverlapTheBetterTheMoreWarpsThereAre) {
  LaunchWork work = busy();
  work.pipes.issued = 4e8;
  work.shared_wavefronts = 1e8;
  const double many = working(work);
  EXPECT_GT(many, 1e-3);
  EXPECT_LT(many, 1.25e-3);
  work.resident_blocks = 1;
  work.warps_per_block = 1;
  EXPECT_GT(working(work), 1.3 * many);
}

// A block that loads, meets at a barrier and computes, so long each: alone it does one after the
// other; a second one on the multiprocessor hides part of it.
TEST(TimeModel, AnotherBlockOverlapsWithOneThatMeetsAtBarriers) {
  LaunchWork work = busy();
  work.resident_blocks = 1;
  work.path.barriers = 1;
  work.path.clocks = 100e3;
  work.path.busy = 50e3;
  work.pipes.issued = 4 * 50e3 * static_cast<double>(work.blocks);
  const double alone = working(work);
  EXPECT_GT(alone, 800 * 100e3 / 1e9);
  work.resident_blocks = 2;
  const double two = working(work);
  EXPECT_LT(two, 0.75 * alone);
  EXPECT_GT(two, 800 * 50e3 / 1e9);
}

TEST(TimeModel, StartingManySmallBlocksTakesTime) {
  LaunchWork work = busy();
  work.blocks = 100'000'000;
  work.warps_per_block = 1;
  work.resident_blocks = 32;
  const TimeBounds bounds = bounds_of(work, machine());
  EXPECT_NEAR(bounds[Limit::kStarts], 1.2 * 0.1, 1e-9);
  EXPECT_EQ(bounds.first(), Limit::kStarts);
  work.warps_per_block = 32;
  work.resident_blocks = 2;
  EXPECT_NEAR(bounds_of(work, machine())[Limit::kStarts], 32 * 5.6 / 100 * 0.1, 1e-9);
}

// 32 lanes that add to one address do it one after the other, whatever the rest of the GPU does.
TEST(TimeModel, AtomicsOnOneAddressGoOnOneAfterTheOther) {
  LaunchWork work = busy();
  work.atomics.lanes = 1e6;
  work.atomics.sectors = 1e6;
  work.atomics.bytes = 4;
  EXPECT_NEAR(bounds_of(work, machine())[Limit::kAtomics], 1.46e6 / 1e9, 1e-9);
  work.atomics.bytes = 4e6;  // each lane has an address of its own
  const double apart = bounds_of(work, machine())[Limit::kAtomics];
  EXPECT_LT(apart, 0.2e6 / 1e9);
  work.atomics.again = 31e6;
  EXPECT_NEAR(bounds_of(work, machine())[Limit::kAtomics], 32 * apart, 1e-9);
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

TEST(TimeModel, ScatteredStoresCostTheL2More) {
  LaunchWork work = busy();
  work.stores.sectors = 4e6;
  work.stores.lines = 1e6;  // of 128 bytes
  const double whole = bounds_of(work, machine())[Limit::kL2];
  work.stores.lines = 4e6;
  const double apart = bounds_of(work, machine())[Limit::kL2];
  EXPECT_GT(apart, 1.5 * whole);
  work.stores.partial_sectors = 4e6;
  EXPECT_GT(bounds_of(work, machine())[Limit::kL2], 1.03 * apart);
}

TEST(TimeModel, ScatteredLoadsCostTheL2More) {
  LaunchWork work = busy();
  work.block_sectors = work.loads.sectors = 4e6;
  work.loads.lines = 1e6;
  const double whole = bounds_of(work, machine())[Limit::kL2];
  work.loads.lines = 4e6;  // one sector of each
  EXPECT_GT(bounds_of(work, machine())[Limit::kL2], 2 * whole);
}

TEST(TimeModel, MoreStagesHideMoreOfTheBulkCopies) {
  LaunchWork work = busy();
  work.blocks = 100;
  work.resident_blocks = 1;
  work.path.clocks = 1000;
  work.path.barriers = 1;
  const double alone = bounds_of(work, machine())[Limit::kWaiting];
  work.bulk_sectors = 100 * 20e3;
  work.bulk_arrivals = 40;
  work.bulk_stages = 2;
  const double two = bounds_of(work, machine())[Limit::kWaiting];
  EXPECT_GT(two, 5 * alone);
  work.bulk_stages = 4;
  EXPECT_LT(bounds_of(work, machine())[Limit::kWaiting], 0.6 * two);
  work.stores.sectors = 100 * 10e3;  // are waited for at the end
  EXPECT_GT(bounds_of(work, machine())[Limit::kWaiting], 0.6 * two);
}

TEST(TimeModel, ABlockTakesNoLongerWhereOneMultiprocessorHasAnother) {
  LaunchWork work = busy();
  work.resident_blocks = 1;
  work.path.clocks = work.path.busy = 1000;
  work.path.barriers = 1;
  const auto waiting = [&](std::uint64_t blocks) {
    work.blocks = blocks;
    work.shared_wavefronts = 5000.0 * static_cast<double>(blocks);
    return bounds_of(work, machine())[Limit::kWaiting];
  };
  EXPECT_NEAR(waiting(101), waiting(200), 1e-9 * waiting(200));
  EXPECT_NEAR(waiting(50), waiting(100), 1e-9 * waiting(100));
}

TEST(TimeModel, LoadsTakeLongerWhereOthersAreUnderWay) {
  LaunchWork work = busy();
  work.block_sectors = work.loads.sectors = 4e6;
  work.dram_read_bytes = 32 * 4e6;
  work.blocks = 1;
  const PathLatencies few = path_latencies(work, machine());
  work.blocks = 1000;
  const PathLatencies many = path_latencies(work, machine());
  EXPECT_LT(few.l2, many.l2);
  EXPECT_LT(few.far, many.far);
  EXPECT_LT(many.l2, many.far);
}

TEST(TimeModel, RegisterPortsCountInPart) {
  InstructionCost cost;
  cost.occupies = 3;
  cost.ports = 2;
  EXPECT_EQ(cost.unit_clocks(1), 3);
  EXPECT_EQ(cost.unit_clocks(0.25), 1.5);
}

}  // namespace
}  // namespace tilescope
