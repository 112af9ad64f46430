#include <gtest/gtest.h>

#include "gpu/gpu_device.h"

namespace tilescope {
namespace {

std::vector<DeviceModel> table() {
  DeviceModel h200;
  h200.name = "NVIDIA H200";
  h200.compute_capability = 90;
  h200.multiprocessors = 132;
  h200.fp32_lanes_per_multiprocessor = 128;
  h200.boost_clock_hz = 1.98e9;
  h200.memory_bytes_per_second = 4.8e12;
  DeviceModel ada = h200;
  ada.name = "NVIDIA GeForce RTX 4090";
  ada.compute_capability = 89;
  ada.multiprocessors = 128;
  ada.memory_bytes_per_second = 1.008e12;
  return {h200, ada};
}

// An RTX 4070: 46 multiprocessors and 504 GB/s, not the 4090's 128 and 1,008.
TEST(DeviceModelOf, AGpuThatTheTableLacksHasItsOwnSizeAndBandwidth) {
  DeviceInfo device;
  device.name = "NVIDIA GeForce RTX 4070";
  device.compute_capability = 89;
  device.multiprocessors = 46;
  device.max_clock_hz = 2.475e9;
  device.memory_bytes_per_second = 504e9;
  const DeviceModel model = model_of(device, table());
  EXPECT_EQ(model.name, device.name);
  EXPECT_EQ(model.memory_bytes_per_second, 504e9);
  EXPECT_NEAR(model.peak_fp32_flop_per_second(), 29.1e12, 0.1e12);
}

TEST(DeviceModelOf, AGpuOfTheTableKeepsItsDatasheetsBandwidth) {
  DeviceInfo device;
  device.name = "NVIDIA H200";
  device.compute_capability = 90;
  device.multiprocessors = 132;
  device.max_clock_hz = 1.98e9;
  device.memory_bytes_per_second = 4.917e12;
  EXPECT_EQ(model_of(device, table()), table().front());
}

TEST(DeviceModelOf, ANewerGpuHasTheLimitsOfTheNearestOlderOne) {
  DeviceInfo device;
  device.name = "NVIDIA GB10";
  device.compute_capability = 121;
  const DeviceModel model = model_of(device, table());
  EXPECT_EQ(model.compute_capability, 121);
  EXPECT_EQ(model.name, "NVIDIA GB10");
  EXPECT_EQ(model.multiprocessors, 132);  // it did not tell
}

}  // namespace
}  // namespace tilescope
