#include <gtest/gtest.h>

#include "analysis/time/time_model.h"
#include "diagnosed.h"

namespace tilescope {
namespace {

// What a tuner ranks by is what the window then says.
void expect_same(const std::string& id, const ParameterSet& changes) {
  const CatalogueEntry& kernel = testing::entry(id);
  const DeviceModel h200 = testing::device(90);
  const auto parameters = complete_parameters(kernel, changes);
  ASSERT_TRUE(parameters.ok());
  StudyRequest request;
  request.instance = *instantiate(kernel, *parameters, kernel.default_extents, h200);
  request.workers = 2;
  const auto time = modelled_time(request, h200, {});
  ASSERT_TRUE(time.ok()) << to_string(time.error());
  EXPECT_EQ(time->seconds, testing::diagnosed(id, changes).bounds.total()) << id;
  EXPECT_TRUE(time->compiled.has_resources);
  EXPECT_FALSE(time->compiled.cubin.empty());
}

TEST(ModelledTime, IsTheDiagnosissTime) {
  expect_same("transpose/tiled", {{"PAD", 0}});
  expect_same("gemm/shared_tile", {});
}

// Eight blocks that lie far apart read each sector of the table.
double gathered_bytes(std::int64_t elements) {
  const CatalogueEntry& kernel = testing::entry("gather/plain");
  const DeviceModel h200 = testing::device(90);
  StudyRequest request;
  request.instance =
      *instantiate(kernel, *complete_parameters(kernel, {{"SPREAD", 8}}), {{"N", elements}}, h200);
  request.workers = 2;
  const auto time = modelled_time(request, h200, {});
  EXPECT_TRUE(time.ok()) << to_string(time.error());
  return time ? time->work.dram_read_bytes : 0;
}

TEST(ModelledTime, ATableThatTheL2HasNoRoomForIsReadFromTheDramAgain) {
  constexpr double kBytes = 4;
  EXPECT_NEAR(gathered_bytes(4 << 20) / (kBytes * (4 << 20)), 2, 0.1);  // indices and table once
  EXPECT_NEAR(gathered_bytes(10 << 20) / (kBytes * (10 << 20)), 9, 0.3);
}

// Threads add up segments of their own and write each sum.
double scanned_bytes(std::int64_t block) {
  const CatalogueEntry& kernel = testing::entry("scan/one_thread");
  const DeviceModel h200 = testing::device(90);
  StudyRequest request;
  request.instance =
      *instantiate(kernel, *complete_parameters(kernel, {{"BLOCK", block}, {"SEGMENT", 64}}),
                   {{"N", block == 32 ? 1 << 20 : 1 << 24}}, h200);
  request.workers = 2;
  const auto time = modelled_time(request, h200, {});
  EXPECT_TRUE(time.ok()) << to_string(time.error());
  if (!time) return 0;
  const double elements = block == 32 ? 1 << 20 : 1 << 24;
  return time->work.dram_other_bytes / elements;
}

TEST(ModelledTime, LinesThatTheL2CannotKeepAreReadAndWrittenAgain) {
  EXPECT_LT(scanned_bytes(32), 5);     // 8 MB of lines in use
  EXPECT_GT(scanned_bytes(256), 100);  // 69 MB
}

TEST(ModelledTime, SaysWhatDoesNotCompile) {
  StudyRequest request;
  request.instance.file_name = "wrong.cu";
  request.instance.source = "__global__ void f() { wrong; }";
  const auto time = modelled_time(request, testing::device(90), {});
  ASSERT_FALSE(time.ok());
  EXPECT_EQ(time.error().place.file, "wrong.cu");
}

}  // namespace
}  // namespace tilescope
