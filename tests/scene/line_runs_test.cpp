#include <gtest/gtest.h>

#include <array>

#include "scene/pages/source_page.h"

namespace tilescope {
namespace {

TEST(LineRuns, LinesThatComeFromNowherePartNoPlace) {
  const std::array<std::uint32_t, 9> origins{0, 7, 0, 7, 3, 0, 7, 3, 7};
  const auto runs = runs_of(origins, 7);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].first, 2U);
  EXPECT_EQ(runs[0].last, 4U);
  EXPECT_EQ(runs[1].first, 7U);
  EXPECT_EQ(runs[1].last, 7U);
  EXPECT_EQ(runs[2].last, 9U);
  EXPECT_TRUE(runs_of(origins, 0).empty()) << "no line of the kernel";
  EXPECT_TRUE(runs_of(origins, 5).empty());
}

TEST(LineRuns, TheNearestIsMeasuredFromBothEdgesOfWhatIsSeen) {
  const std::array<LineRun, 3> runs{LineRun{10, 12}, {40, 44}, {90, 91}};
  EXPECT_EQ(nearest_run(runs, {1, 5}), 0U);
  EXPECT_EQ(nearest_run(runs, {11, 11}), 0U);
  EXPECT_EQ(nearest_run(runs, {13, 30}), 0U) << "1 line below, 10 above";
  EXPECT_EQ(nearest_run(runs, {35, 80}), 1U) << "in sight";
  EXPECT_EQ(nearest_run(runs, {60, 80}), 2U);
  EXPECT_EQ(nearest_run(runs, {22, 30}), 0U) << "10 lines either way";
}

}  // namespace
}  // namespace tilescope
