// Kernels whose global traffic is tensor copies alone: what the pictures and the model of the
// pipeline read off their traces.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "analysis/time/launch_work.h"
#include "analysis/time/machine_rates.h"
#include "analysis/time/pipeline.h"
#include "core/device_table.h"
#include "core/paths.h"
#include "kernel/launch/file_launch.h"
#include "kernel/test_catalogue.h"
#include "scene/catalogue_study.h"
#include "scene/model/prepared.h"
#include "scene/model/shared_layout.h"
#include "scene/model/tiling_model.h"

namespace tilescope {
namespace {

std::shared_ptr<const KernelStudy> study_of(const std::string& file, LaunchText launch,
                                            std::uint64_t block) {
  std::ifstream in(resource_directory() / "tests/answers" / file);
  std::stringstream text;
  text << in.rdbuf();
  const auto instance = launch_file({file, text.str()}, launch, "");
  EXPECT_TRUE(instance.ok());
  StudyRequest request;
  request.instance = *instance;
  request.block = block;
  const auto study = study_block(request, {});
  EXPECT_TRUE(study.ok()) << to_string(study.error());
  return *study;
}

TEST(BulkBoxes, AStoredBoxIsOfTheThreadsThatPutItIntoSharedMemory) {
  LaunchText launch;
  launch.grid = "4,2";
  launch.block = "256";
  launch.arguments = {"tensormap:f32+box32x32+swizzle128[128x64]=iota",
                      "tensormap:f32+box32x32[64x128]=zero"};
  const auto study = study_of("transpose_by_boxes.cu", launch, 6);
  const auto prepared = prepare(*study);
  const TilingModel& model = *prepared->tiling;
  ASSERT_EQ(model.boxes.size(), 2u);
  EXPECT_TRUE(model.boxes[0].loads());
  EXPECT_EQ(model.boxes[0].box, (ElementBox{32, 64, 32, 32}));
  EXPECT_EQ(model.boxes[1].kind, BulkCopy::Kind::kStore);
  EXPECT_EQ(model.boxes[1].box, (ElementBox{64, 32, 32, 32}));
  EXPECT_EQ(model.movement, Movement::kTranspose) << "followed through both copies";
  ASSERT_TRUE(model.output);
  EXPECT_EQ(model.owner_of(64 + 5, 32 + 7), 1 * 32 + 7u) << "turned[5][7]: warp 1, lane 7";
  EXPECT_EQ(prepared->shared->regions.at(0).swizzle_bytes, 128u);
  EXPECT_TRUE(prepared->shared->regions.at(0).by_tensor_copies);
  EXPECT_EQ(prepared->shared->regions.at(1).swizzle_bytes, 0u);
  EXPECT_FALSE(prepared->shared->regions.at(1).by_tensor_copies);

  const auto complete = with_resources(study, testing::device(90), {});
  ASSERT_TRUE(complete.ok());
  const LaunchWork work = work_of(**complete, rates_of(testing::device(90)));
  EXPECT_EQ(work.bulk_sectors, 8 * 128);
  EXPECT_EQ(work.stores.sectors, 8 * 128);
  EXPECT_EQ(work.dram_read_bytes, 64 * 128 * 4);
  EXPECT_EQ(work.dram_write_bytes, 64 * 128 * 4);
}

TEST(BulkBoxes, WarpsThatSplitATileAreNoConsumers) {
  std::string why;
  const auto study =
      catalogue_study("gemm/three_tf32", {}, {{"M", 256}, {"N", 256}, {"K", 256}}, &why);
  ASSERT_NE(study, nullptr) << why;
  const auto complete = with_resources(study, testing::device(90), {});
  ASSERT_TRUE(complete.ok());
  const auto pipeline = pipeline_of(**complete, std::nullopt, {});
  ASSERT_TRUE(pipeline.ok());
  const TileCopies& copies = (*pipeline)->copies;
  EXPECT_EQ(copies.producers(), (std::vector<std::uint32_t>{8}));
  EXPECT_EQ(copies.consumers(), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(copies.helpers(), (std::vector<std::uint32_t>{9, 10, 11}));
}

// A by cp.async of four warps, B by a tensor copy of one: both are of a stage.
TEST(BulkBoxes, CopiesThatOneMbarrierAnnouncesAreOneTile) {
  std::string why;
  const auto study =
      catalogue_study("gemm/feeder_warps", {}, {{"M", 256}, {"N", 256}, {"K", 256}}, &why);
  ASSERT_NE(study, nullptr) << why;
  const auto complete = with_resources(study, testing::device(90), {});
  ASSERT_TRUE(complete.ok());
  const auto pipeline = pipeline_of(**complete, std::nullopt, {});
  ASSERT_TRUE(pipeline.ok());
  const TileCopies& copies = (*pipeline)->copies;
  EXPECT_EQ(copies.producers(), (std::vector<std::uint32_t>{8, 9, 10, 11}));
  EXPECT_EQ(copies.consumers(), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(copies.rows.size(), 4u);
  ASSERT_EQ(copies.tiles.size(), 8u);
  for (const TileCopy& tile : copies.tiles) EXPECT_EQ(tile.bytes, (128u + 256u) * 32u * 4u);
}

TEST(BulkBoxes, ARingGoesOnWhenItsMbarriersSay) {
  LaunchText launch;
  launch.grid = "4";
  launch.block = "160";
  launch.arguments = {"tensormap:f32+box32x16[128x256]=iota", "f32[128]=zero"};
  auto study = study_of("ring_of_boxes.cu", launch, 1);
  const auto complete = with_resources(study, testing::device(90), {});
  ASSERT_TRUE(complete.ok());
  const auto pipeline = pipeline_of(**complete, std::nullopt, {});
  ASSERT_TRUE(pipeline.ok());
  const TileCopies& copies = (*pipeline)->copies;
  EXPECT_EQ(copies.producers(), (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(copies.consumers(), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(copies.rows.size(), 3u);
  ASSERT_EQ(copies.tiles.size(), 16u);
  for (std::size_t i = 0; i < copies.tiles.size(); ++i) {
    const TileCopy& tile = copies.tiles[i];
    EXPECT_EQ(tile.bytes, 2048u);
    EXPECT_GE(tile.first_read, tile.arrived) << "tile " << i << ": a full stage";
    if (i >= 3) {
      EXPECT_GT(tile.issue, copies.tiles[i - 3].first_read) << "tile " << i << ": an empty stage";
    }
  }
  const auto& stalled = (*pipeline)->timing.stalled;
  EXPECT_GT(stalled[static_cast<std::size_t>(Stall::kMbarrier)], 0u);
  EXPECT_GT(copies.bytes_in_flight(), 2048);
  EXPECT_LE(copies.bytes_in_flight(), 3 * 2048);
}

}  // namespace
}  // namespace tilescope
