#include <gtest/gtest.h>

#include "analysis/occupancy/occupancy.h"
#include "analysis/study/parameter_occupancy.h"
#include "core/paths.h"

namespace tilescope {
namespace {

DeviceModel named(const std::string& part) {
  const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  for (const DeviceModel& device : *table) {
    if (device.name.find(part) != std::string::npos) return device;
  }
  ADD_FAILURE() << part;
  return {};
}

constexpr OccupancyAxis kAxes[] = {OccupancyAxis::kBlockSize, OccupancyAxis::kRegisters,
                                   OccupancyAxis::kSharedMemory};

TEST(OccupancySteps, SayAtEachValueWhatTheCalculatorSays) {
  const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  for (const DeviceModel& device : *table) {
    const OccupancyRequest request{192, 40, 0, 6'000};
    for (const OccupancyAxis axis : kAxes) {
      const auto steps = occupancy_steps(device, request, axis);
      ASSERT_FALSE(steps.empty()) << device.name;
      for (const OccupancyStep& step : steps) {
        for (int value : {step.first, (step.first + step.last) / 2, step.last}) {
          OccupancyRequest there = request;
          if (axis == OccupancyAxis::kBlockSize) there.threads_per_block = value;
          if (axis == OccupancyAxis::kRegisters) there.registers_per_thread = value;
          if (axis == OccupancyAxis::kSharedMemory) there.dynamic_shared_bytes = value;
          const auto calculated = occupancy(device, there);
          ASSERT_TRUE(calculated.ok());
          EXPECT_EQ(step.blocks, calculated->blocks_per_multiprocessor)
              << device.name << " at " << value;
          EXPECT_EQ(step.limits, limits_of(*calculated));
        }
      }
      for (std::size_t i = 1; i < steps.size(); ++i) {
        EXPECT_EQ(steps[i].first, steps[i - 1].last + 1) << device.name;
      }
    }
  }
}

// 65,536 registers of an H200 hold 2 blocks of 256 threads at 128 each and 3 at 80.
TEST(OccupancySteps, TheNextBlockOfRegisterTileNeeds80Registers) {
  const auto steps = occupancy_steps(named("H200"), {256, 128, 0, 0}, OccupancyAxis::kRegisters);
  EXPECT_EQ(step_at(steps, 128)->blocks, 2);
  const auto up = next_step_up(steps, 128);
  ASSERT_TRUE(up.has_value());
  EXPECT_EQ(up->value, 80);
  EXPECT_EQ(up->step.blocks, 3);
}

// 001 in docs/seeds.md: 48 KiB of shared memory hold 3 blocks of 16 KiB; a fourth needs 12 KiB.
TEST(OccupancySteps, SharedMemoryOfAFermi) {
  const auto steps =
      occupancy_steps(named("GTX 480"), {64, 7, 16'384, 0}, OccupancyAxis::kSharedMemory);
  EXPECT_EQ(step_at(steps, 16'384)->blocks, 3);
  const auto up = next_step_up(steps, 16'384);
  ASSERT_TRUE(up.has_value());
  EXPECT_EQ(up->value, 12 * 1024);
  EXPECT_EQ(up->step.blocks, 4);
}

// 001: blocks of 1,024 threads fill two thirds of a Fermi's SM; 768 fill all of it.
TEST(OccupancySteps, ANearbyBlockSizeFillsAFermi) {
  const auto steps =
      occupancy_steps(named("GTX 480"), {1024, 7, 4096, 0}, OccupancyAxis::kBlockSize);
  const auto up = next_step_up(steps, 1024);
  ASSERT_TRUE(up.has_value());
  EXPECT_EQ(up->value, 768);
  EXPECT_EQ(up->step.warps, 48);  // two blocks of 24
}

TEST(OccupancySteps, FullOccupancyHasNoStepUp) {
  const auto steps = occupancy_steps(named("H200"), {256, 16, 0, 0}, OccupancyAxis::kRegisters);
  EXPECT_FALSE(next_step_up(steps, 16).has_value());
  EXPECT_FALSE(step_at(steps, 300).has_value());
}

}  // namespace
}  // namespace tilescope
