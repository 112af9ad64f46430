#include "analysis/occupancy.h"

#include <gtest/gtest.h>

#include "core/paths.h"

namespace tilescope {
namespace {

DeviceModel h200() {
  const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  return *find_device(*table, 90);
}

TEST(Occupancy, NamesWhatStopsTheNextBlock) {
  const auto threads = occupancy(h200(), {1024, 16, 0, 0});
  ASSERT_TRUE(threads.ok());
  EXPECT_EQ(threads->blocks_per_multiprocessor, 2);
  EXPECT_EQ(threads->limit, OccupancyLimit::kThreads);

  const auto registers = occupancy(h200(), {256, 128, 0, 0});
  EXPECT_EQ(registers->blocks_per_multiprocessor, 2);
  EXPECT_EQ(registers->limit, OccupancyLimit::kRegisters);
  EXPECT_EQ(registers->warps_per_multiprocessor, 16);
  EXPECT_EQ(registers->max_warps_per_multiprocessor, 64);

  const auto shared = occupancy(h200(), {128, 32, 0, 100 * 1024});
  EXPECT_EQ(shared->blocks_per_multiprocessor, 2);
  EXPECT_EQ(shared->limit, OccupancyLimit::kSharedMemory);

  const auto blocks = occupancy(h200(), {32, 16, 0, 0});
  EXPECT_EQ(blocks->blocks_per_multiprocessor, 32);
  EXPECT_EQ(blocks->limit, OccupancyLimit::kBlocks);
}

TEST(Occupancy, ABlockThatCannotRunHasNone) {
  const auto too_much = occupancy(h200(), {128, 32, 0, 300 * 1024});
  ASSERT_TRUE(too_much.ok());
  EXPECT_EQ(too_much->blocks_per_multiprocessor, 0);
}

}  // namespace
}  // namespace tilescope
