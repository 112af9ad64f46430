#include "analysis/time/littles_law.h"

#include <gtest/gtest.h>

#include "analysis/time/instruction_cost.h"

namespace tilescope {
namespace {

// A GTX 1080 Ti (001 in docs/seeds.md): 484 GB/s over 28 SMs, 700 cycles at 1.582 GHz.
DeviceModel pascal() {
  DeviceModel device;
  device.compute_capability = 61;
  device.multiprocessors = 28;
  device.boost_clock_hz = 1.582e9;
  device.memory_bytes_per_second = 4.84e11;
  return device;
}

TEST(LittlesLaw, NeedIsBandwidthTimesLatency) {
  const BytesInFlight flight = bytes_in_flight(pascal(), 700, 128, 64);
  EXPECT_NEAR(flight.needed, 7'648.6, 0.1);
  EXPECT_EQ(flight.possible, 8'192);  // 64 warps that load a float a lane each
  EXPECT_GT(flight.share(), 1);
  EXPECT_EQ(flight.reachable_bytes_per_second(), 4.84e11);
}
// One thread per matrix and one thread per row, as 001 has it: too few transactions.
TEST(LittlesLaw, OneWarpReachesASmallPart) {
  const BytesInFlight flight = bytes_in_flight(pascal(), 700, 128, 1);
  EXPECT_NEAR(flight.share(), 0.01673, 1e-4);
  EXPECT_NEAR(flight.reachable_bytes_per_second(), 8.1e9, 1e8);
}
// A copy writes as much as it reads: the memory is busy with half of the reads.
TEST(LittlesLaw, NobodyWaitsForWhatIsWritten) {
  const BytesInFlight reading = bytes_in_flight(pascal(), 700, 128, 16);
  const BytesInFlight copying = bytes_in_flight(pascal(), 700, 128, 16, 0.5);
  EXPECT_DOUBLE_EQ(copying.needed, reading.needed / 2);
  EXPECT_DOUBLE_EQ(copying.reachable_bytes_per_second(), 2 * reading.reachable_bytes_per_second());
}
// 001's curves: 16 bytes a thread instead of 4 let a quarter of the warps do.
TEST(LittlesLaw, WiderLoadsReplaceWarps) {
  EXPECT_EQ(bytes_in_flight(pascal(), 700, 512, 16).possible,
            bytes_in_flight(pascal(), 700, 128, 64).possible);
}
TEST(LittlesLaw, LatencyNamesItsSource) {
  DeviceModel tesla = pascal();
  tesla.compute_capability = 13;
  EXPECT_EQ(memory_latency(tesla).cycles, 600);
  EXPECT_EQ(memory_latency(pascal()).cycles, description_of(Latency::kDram).usual);
  EXPECT_FALSE(memory_latency(pascal()).source.empty());
}

}  // namespace
}  // namespace tilescope
