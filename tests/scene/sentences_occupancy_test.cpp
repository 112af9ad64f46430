#include <gtest/gtest.h>

#include "core/paths.h"
#include "scene/occupancy/occupancy_words.h"

namespace tilescope {
namespace {

DeviceModel device_named(const std::string& part) {
  const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  for (const DeviceModel& device : *table) {
    if (device.name.find(part) != std::string::npos) return device;
  }
  return {};
}

std::string occupancy_of(const std::string& device, const OccupancyRequest& request,
                         const std::string& registers_of = "", std::uint64_t grid_blocks = 0) {
  OccupancyFacts facts;
  facts.grid_blocks = grid_blocks;
  facts.device = device_named(device);
  facts.device_name = device;
  facts.registers_of = registers_of;
  facts.request = request;
  if (auto fitting = occupancy(facts.device, request)) facts.occupancy = *fitting;
  return plain(occupancy_sentence(facts));
}

TEST(OccupancySentence, EveryWarpSlotIsTaken) {
  EXPECT_EQ(occupancy_of("H200", {256, 16, 0, 0}),
            "An SM of the H200 holds 8 blocks of 256 threads, 64 of its 64 warps. All 64 warp "
            "slots are used.");
  EXPECT_EQ(occupancy_of("H200", {256, 32, 0, 0}),
            "An SM of the H200 holds 8 blocks of 256 threads, 64 of its 64 warps. All 64 warp "
            "slots are used. Registers would not allow another block either.");
}
TEST(OccupancySentence, WarpSlotsAreLeft) {
  EXPECT_EQ(occupancy_of("GTX 480", {1024, 7, 4096, 0}),
            "An SM of the GTX 480 holds 1 block of 1,024 threads, 32 of its 48 warps. Limited by "
            "warp slots: another block needs 32, and 16 are free.");
}
TEST(OccupancySentence, RegistersAreGone) {
  EXPECT_EQ(occupancy_of("H200", {256, 128, 0, 0}),
            "An SM of the H200 holds 2 blocks of 256 threads, 16 of its 64 warps. Limited by "
            "registers: another block needs 32,768, and none is free.");
}
TEST(OccupancySentence, RegistersAreTooFew) {
  EXPECT_EQ(occupancy_of("H200", {256, 96, 0, 0}),
            "An SM of the H200 holds 2 blocks of 256 threads, 16 of its 64 warps. Limited by "
            "registers: another block needs 24,576, and 16,384 are free.");
}
TEST(OccupancySentence, RegistersLieApart) {
  EXPECT_EQ(occupancy_of("H200", {32, 168, 0, 0}),
            "An SM of the H200 holds 12 blocks of 32 threads, 12 of its 64 warps. Limited by "
            "registers: another block needs 5,376, and 1,024 are free.");
  EXPECT_EQ(
      occupancy_of("H200", {32, 216, 0, 0}),
      "An SM of the H200 holds 8 blocks of 32 threads, 8 of its 64 warps. Limited by registers: "
      "10,240 are free, but no part of the SM has enough for another block's warps.");
}
TEST(OccupancySentence, SharedMemoryIsTooSmall) {
  EXPECT_EQ(occupancy_of("H200", {128, 32, 0, 100 * 1024}),
            "An SM of the H200 holds 2 blocks of 128 threads, 8 of its 64 warps. Limited by shared "
            "memory: another block needs 101 KiB, and 26.0 KiB is free.");
}
TEST(OccupancySentence, SharedMemoryIsGone) {
  EXPECT_EQ(occupancy_of("GTX 480", {64, 7, 16'384, 0}),
            "An SM of the GTX 480 holds 3 blocks of 64 threads, 6 of its 48 warps. Limited by "
            "shared memory: another block needs 16.0 KiB, and none is free.");
}
TEST(OccupancySentence, SeveralEndAtTheSameCount) {
  EXPECT_EQ(occupancy_of("H200", {256, 224, 0, 192 * 1024}),
            "An SM of the H200 holds 1 block of 256 threads, 8 of its 64 warps. Registers and "
            "shared memory are both the limit: of what another block needs, 8,192 of 57,344 "
            "registers and 35.0 KiB of 193 KiB of shared memory are free.");
}
TEST(OccupancySentence, AgainstARuleOfTheKernel) {
  OccupancyFacts facts;
  facts.device_name = "B200";
  facts.against = "wgmma (warp groups) needs sm_90; the device is sm_100";
  EXPECT_EQ(
      plain(occupancy_sentence(facts)),
      "The kernel cannot run on the B200: wgmma (warp groups) needs sm_90; the device is sm_100.");
}
TEST(OccupancySentence, BlockSlotsAreGone) {
  EXPECT_EQ(occupancy_of("H200", {32, 16, 0, 0}),
            "An SM of the H200 holds 32 blocks of 32 threads, 32 of its 64 warps. Limited by block "
            "slots: all 32 are used by blocks of 1 warp; 32 warp slots stay free.");
}
TEST(OccupancySentence, OnAnotherArchitectureTheRegistersAreSaid) {
  EXPECT_EQ(occupancy_of("T4", {256, 128, 0, 0}, "sm_90"),
            "With the registers of sm_90, an SM of the T4 would hold 2 blocks of 256 threads, 16 "
            "of its 32 warps. Limited by registers: another block needs 32,768, and none is free.");
}
TEST(OccupancySentence, ASmallGridIsSaid) {
  EXPECT_EQ(occupancy_of("H200", {256, 128, 0, 0}, "", 256),
            "An SM of the H200 holds 2 blocks of 256 threads, 16 of its 64 warps. Limited by "
            "registers: another block needs 32,768, and none is free. The grid has 256 blocks, "
            "fewer than the 264 that fit on all 132 SMs.");
  EXPECT_EQ(occupancy_of("H200", {1, 30, 0, 0}, "", 1),
            "An SM of the H200 holds 32 blocks of 1 thread, 32 of its 64 warps. Limited by block "
            "slots: all 32 are used by blocks of 1 warp; 32 warp slots stay free. The grid has 1 "
            "block, fewer than the 4,224 that fit on all 132 SMs.");
}
TEST(OccupancySentence, TooManyThreads) {
  EXPECT_EQ(
      occupancy_of("GTX 280", {1024, 10, 0, 0}),
      "A block of 1,024 threads cannot run on the GTX 280: its limit is 512 threads per block.");
}
TEST(OccupancySentence, TooManyRegistersAThread) {
  EXPECT_EQ(occupancy_of("GTX 480", {256, 64, 0, 0}),
            "A thread with 64 registers cannot run on the GTX 480: its limit is 63 per thread; the "
            "compiler would spill the rest.");
}
TEST(OccupancySentence, TooManyRegistersABlock) {
  EXPECT_EQ(occupancy_of("H200", {1024, 80, 0, 0}),
            "A block of 1,024 threads with 80 registers each cannot run on the H200: it needs "
            "81,920 registers; the limit is 65,536 per block.");
}
TEST(OccupancySentence, TooMuchSharedMemory) {
  EXPECT_EQ(
      occupancy_of("GTX 1080 Ti", {128, 32, 0, 60 * 1024}),
      "A block with 60.0 KiB of shared memory cannot run on the GTX 1080 Ti: the limit is 48.0 "
      "KiB per block.");
}
TEST(OccupancySentence, WithoutRegistersItWaits) {
  EXPECT_EQ(plain(occupancy_unknown_sentence()),
            "The number of blocks per SM follows from the registers of the compiled kernel, which "
            "is still being compiled.");
}

}  // namespace
}  // namespace tilescope
