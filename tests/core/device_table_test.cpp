#include "core/device_table.h"

#include <gtest/gtest.h>

#include "core/paths.h"

namespace tilescope {
namespace {

TEST(DeviceTable, EveryRowIsPlausibleAndNamesItsSource) {
  const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  ASSERT_TRUE(table.ok());
  for (const DeviceModel& device : *table) {
    EXPECT_FALSE(device.source.empty()) << device.name;
    EXPECT_GE(device.max_threads_per_multiprocessor, 1024) << device.name;
    EXPECT_EQ(device.max_threads_per_multiprocessor % 32, 0) << device.name;
    EXPECT_LE(device.shared_bytes_per_block_optin + device.reserved_shared_bytes_per_block,
              device.shared_bytes_per_multiprocessor)
        << device.name;
  }
}

// 66.9 TFLOP/s = 1980 MHz x 132 x 128 x 2, the measured card's own clock and units.
TEST(DeviceTable, PeakOfTheH200IsClockTimesUnitsTimesTwo) {
  const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  ASSERT_TRUE(table.ok());
  const DeviceModel* device = find_device(*table, 90);
  ASSERT_NE(device, nullptr);
  EXPECT_NEAR(device->peak_fp32_flop_per_second(), 66.9e12, 0.05e12);
  EXPECT_EQ(find_device(*table, 21), nullptr);
}

}  // namespace
}  // namespace tilescope
