#include "analysis/occupancy/occupancy.h"

#include <gtest/gtest.h>

#include "build_config.h"
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

TEST(Occupancy, AllThatEndAtTheSameCountAreLimits) {
  const auto both = occupancy(h200(), {256, 224, 0, 192 * 1024});
  EXPECT_EQ(both->blocks_per_multiprocessor, 1);
  EXPECT_EQ(limits_in_words(*both), "registers and shared memory");
  EXPECT_TRUE(limits(*both, OccupancyLimit::kSharedMemory));
  EXPECT_EQ(limits_in_words(*occupancy(h200(), {256, 128, 0, 0})), "registers");
  EXPECT_EQ(limits_in_words(*occupancy(h200(), {256, 32, 0, 0})), "threads and registers");
  EXPECT_EQ(limits_in_words(*occupancy(h200(), {64, 32, 0, 0})), "threads, registers and blocks");
  EXPECT_EQ(limits_in_words(*occupancy(h200(), {256, 16, 0, 0})), "threads");
}

TEST(Occupancy, ABlockThatCannotRunHasNone) {
  const auto too_much = occupancy(h200(), {128, 32, 0, 300 * 1024});
  ASSERT_TRUE(too_much.ok());
  EXPECT_EQ(too_much->blocks_per_multiprocessor, 0);
}

DeviceModel named(const std::string& part) {
  static const auto table = load_device_table(TILESCOPE_SOURCE_DIR "/assets/devices.json");
  for (const DeviceModel& device : *table) {
    if (device.name.find(part) != std::string::npos) return device;
  }
  ADD_FAILURE() << part;
  return {};
}

// What NVRTC 13.0 compiles for has a row, and cuda_occupancy.h knows it with the row's limits.
TEST(Occupancy, EveryArchitectureHasADevice) {
  const auto table = load_device_table(TILESCOPE_SOURCE_DIR "/assets/devices.json");
  ASSERT_TRUE(table.ok());
  for (const int capability : {75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121}) {
    const DeviceModel* device = find_device(*table, capability);
    ASSERT_NE(device, nullptr) << capability;
    const auto blocks = occupancy(*device, {32, 16, 0, 0});
    ASSERT_TRUE(blocks.ok()) << capability << to_string(blocks.error());
    EXPECT_EQ(blocks->blocks_per_multiprocessor, device->max_blocks_per_multiprocessor)
        << capability;
    EXPECT_EQ(blocks->max_warps_per_multiprocessor * 32, device->max_threads_per_multiprocessor);
    const auto largest = occupancy(*device, {128, 16, 0, device->shared_bytes_per_block_optin});
    ASSERT_TRUE(largest.ok()) << capability;
    EXPECT_EQ(largest->blocks_per_multiprocessor, 1) << capability;
    EXPECT_GT(device->memory_bytes_per_second, 0) << capability;
  }
}

// The example of docs/seeds.md, 001: 1,024 threads of 7 registers and 4 KiB of shared memory.
TEST(Occupancy, OfTheCardsOfTheDocuments) {
  const auto pascal = occupancy(named("1080 Ti"), {1024, 7, 4096, 0});
  ASSERT_TRUE(pascal.ok()) << to_string(pascal.error());
  EXPECT_EQ(pascal->blocks_per_multiprocessor, 2);
  EXPECT_EQ(pascal->warps_per_multiprocessor, pascal->max_warps_per_multiprocessor);
  EXPECT_EQ(pascal->limit, OccupancyLimit::kThreads);

  const auto fermi = occupancy(named("GTX 480"), {1024, 7, 4096, 0});
  ASSERT_TRUE(fermi.ok());
  EXPECT_EQ(fermi->blocks_per_multiprocessor, 1);
  EXPECT_EQ(3 * fermi->warps_per_multiprocessor, 2 * fermi->max_warps_per_multiprocessor);
  const auto shared = occupancy(named("GTX 480"), {64, 7, 16'384, 0});
  EXPECT_EQ(shared->blocks_per_multiprocessor, 3);
  EXPECT_EQ(shared->limit, OccupancyLimit::kSharedMemory);
  const auto registers = occupancy(named("GTX 480"), {256, 63, 0, 0});
  EXPECT_EQ(registers->blocks_per_multiprocessor, 2);  // 16 warps of 2,016 -> 2,048 registers
  EXPECT_EQ(registers->limit, OccupancyLimit::kRegisters);

  const auto tesla = occupancy(named("GTX 280"), {256, 10, 2'200, 0});
  ASSERT_TRUE(tesla.ok());
  EXPECT_EQ(tesla->blocks_per_multiprocessor, 4);
  EXPECT_EQ(tesla->limit, OccupancyLimit::kThreads);
  EXPECT_EQ(occupancy(named("GTX 280"), {128, 17, 0, 0})->blocks_per_multiprocessor, 6);
  EXPECT_FALSE(occupancy(named("GTX 280"), {1024, 10, 0, 0}).ok());
}

// The same example, resource by resource: what each alone would let in.
TEST(Occupancy, EachResourceHasItsOwnBound) {
  const auto fermi = occupancy(named("GTX 480"), {1024, 7, 4096, 0});
  EXPECT_EQ(fermi->share(OccupancyLimit::kThreads).blocks, 1);  // 48 warp slots, 32 each
  EXPECT_EQ(fermi->share(OccupancyLimit::kThreads).left(1), 16);
  EXPECT_EQ(fermi->share(OccupancyLimit::kRegisters).per_block, 8192);  // 7 become 8 a thread
  EXPECT_EQ(fermi->share(OccupancyLimit::kRegisters).blocks, 4);
  EXPECT_EQ(fermi->share(OccupancyLimit::kSharedMemory).blocks, 12);
  EXPECT_EQ(fermi->share(OccupancyLimit::kBlocks).blocks, 8);
  const auto pascal = occupancy(named("1080 Ti"), {1024, 7, 4096, 0});
  EXPECT_EQ(pascal->share(OccupancyLimit::kThreads).blocks, 2);
  EXPECT_EQ(pascal->share(OccupancyLimit::kRegisters).blocks, 8);
  EXPECT_EQ(
      occupancy(named("1080 Ti"), {256, 16, 0, 0})->share(OccupancyLimit::kSharedMemory).blocks,
      ResourceShare::kNoBound);
}

// 002: tiles of 4 x 4 leave half the warp slots empty, those of 8 x 8 and 16 x 16 none.
TEST(Occupancy, OfTilesOfFour) {
  EXPECT_EQ(occupancy(named("2080 Ti"), {16, 32, 128, 0})->percent(), 50);
  EXPECT_EQ(occupancy(named("2080 Ti"), {64, 32, 512, 0})->percent(), 100);
  EXPECT_EQ(occupancy(named("2080 Ti"), {256, 32, 2048, 0})->percent(), 100);
}

// 000: 111 registers instead of 128 let in no further block, so the resident warps stay.
TEST(Occupancy, OfFewerRegistersOnAnRtx3080) {
  EXPECT_EQ(occupancy(named("3080"), {256, 128, 0, 16'384})->blocks_per_multiprocessor, 2);
  EXPECT_EQ(occupancy(named("3080"), {256, 111, 0, 16'384})->blocks_per_multiprocessor, 2);
}

TEST(Occupancy, ThreadsWithTooManyRegistersCannotRun) {
  EXPECT_EQ(occupancy(named("GTX 480"), {256, 64, 0, 0})->blocks_per_multiprocessor, 0);
  EXPECT_EQ(max_registers_per_thread(named("GTX 280")), 128);
  EXPECT_EQ(max_registers_per_thread(named("H200")), 255);
}

}  // namespace
}  // namespace tilescope
