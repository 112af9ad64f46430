#include <gtest/gtest.h>

#include <numeric>

#include "analysis/diagnosed.h"

namespace tilescope {
namespace {

double sum_of(const std::map<std::uint32_t, double>& waits) {
  return std::accumulate(waits.begin(), waits.end(), 0.0,
                         [](double sum, const auto& each) { return sum + each.second; });
}

// The clocks of a warp are those in which it works and those in which it waits.
TEST(IssuedPath, AddsUp) {
  for (const char* kernel : {"copy/plain", "gemm/shared_tile", "transpose/tiled"}) {
    const WarpPath path = testing::diagnosed(kernel).work.path;
    const double waits = sum_of(path.global_waits) + sum_of(path.shared_waits) + path.barrier_waits;
    EXPECT_NEAR(path.clocks, path.busy + waits, 1) << kernel;
    EXPECT_GT(path.busy, 0) << kernel;
    EXPECT_LE(path.far_waits, sum_of(path.global_waits) + 1e-6) << kernel;
  }
}

TEST(IssuedPath, OfACopyWaitsOnceForTheMemory) {
  const LaunchWork work = testing::diagnosed("copy/plain").work;
  ASSERT_EQ(work.path.global_waits.size(), 1U);
  EXPECT_GT(work.path.far_waits, 0.85 * work.path.clocks);
  EXPECT_EQ(work.path.barriers, 0);
  EXPECT_EQ(work.path.reloads, 1);
}

// What is copied beside the arithmetic is there when it is waited for.
TEST(IssuedPath, HidesWhatCopiesBringAhead) {
  const WarpPath ahead = testing::diagnosed("gemm/register_tile", {{"STAGES", 3}}).work.path;
  EXPECT_LT(ahead.far_waits, 0.05 * ahead.clocks);
  const WarpPath single = testing::diagnosed("gemm/register_tile", {{"STAGES", 1}}).work.path;
  EXPECT_GT(single.far_waits, 0.15 * single.clocks);
}

// 64 warps walk along rows of their own: the lines of their loads and stores need twice the L1, so
// that each load of a sector after the first finds it gone.
TEST(IssuedPath, LoadsAgainWhatTheL1HasNoRoomFor) {
  const WarpPath path = testing::diagnosed("scan/one_thread", {{"SEGMENT", 64}}).work.path;
  EXPECT_GT(path.reloads, 4);
  EXPECT_EQ(testing::diagnosed("scan/one_thread", {{"SEGMENT", 256}}).work.path.reloads, 1);
}

}  // namespace
}  // namespace tilescope
