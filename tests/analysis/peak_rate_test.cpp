#include <gtest/gtest.h>

#include "analysis/time/machine_rates.h"
#include "kernel/test_catalogue.h"

namespace tilescope {
namespace {

DeviceModel hopper() {
  DeviceModel device;
  device.compute_capability = 90;
  device.multiprocessors = 100;
  device.fp32_lanes_per_multiprocessor = 128;
  device.boost_clock_hz = 1e9;
  device.memory_bytes_per_second = 4e12;
  return device;
}

CatalogueEntry gemm_of(ElementType type) {
  CatalogueEntry entry;
  entry.problem = testing::problem("gemm");
  entry.arguments.emplace_back();
  entry.arguments.back().role = Role::kA;
  entry.arguments.back().type = type;
  return entry;
}

TEST(PeakRate, IsThatOfTheUnitsThatMultiplyTheOperands) {
  EXPECT_DOUBLE_EQ(peak_rate(gemm_of(ElementType::kF32), hopper()), 100 * 128 * 2 * 1e9);
  EXPECT_DOUBLE_EQ(peak_rate(gemm_of(ElementType::kBf16), hopper()), 100 * 4096 * 1e9);
  EXPECT_EQ(peak_rate(gemm_of(ElementType::kF64), hopper()), 0);
}

TEST(PeakRate, IsNotKnownWhereNoneIsStatedPerMultiprocessor) {
  DeviceModel device = hopper();
  device.compute_capability = 120;
  EXPECT_EQ(peak_rate(gemm_of(ElementType::kF16), device), 0);
}

TEST(PeakRate, OfWhatMovesBytesIsTheMemorys) {
  CatalogueEntry entry;
  entry.problem = testing::problem("transpose");
  EXPECT_DOUBLE_EQ(peak_rate(entry, hopper()), 4e12);
}

}  // namespace
}  // namespace tilescope
