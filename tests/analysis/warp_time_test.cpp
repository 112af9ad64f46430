#include <gtest/gtest.h>

#include <vector>

#include "analysis/studied.h"
#include "analysis/study/moment.h"

namespace tilescope {
namespace {

// Own events 1, 4, 6 of a warp among others'.
TEST(WarpTime, AnInstructionOnIsTheWarpsOwn) {
  const auto study = testing::studied("gemm/naive", {}, {{"M", 64}, {"N", 64}, {"K", 32}});
  const std::vector<std::uint32_t> own = {1, 4, 6};
  const WarpTime time{*study, 0, own};
  EXPECT_EQ(time.instructions_on(0, 1), 1U);
  EXPECT_EQ(time.instructions_on(1, 1), 4U);
  EXPECT_EQ(time.instructions_on(2, 1), 4U);
  EXPECT_EQ(time.instructions_on(4, 2), 6U);
  EXPECT_EQ(time.instructions_on(6, 1), 6U);
  EXPECT_EQ(time.instructions_on(9, 1), 9U);  // never back
  EXPECT_EQ(time.instructions_on(9, -1), 6U);
  EXPECT_EQ(time.instructions_on(5, -1), 4U);
  EXPECT_EQ(time.instructions_on(4, -1), 1U);
  EXPECT_EQ(time.instructions_on(1, -1), 1U);
  EXPECT_EQ(time.instructions_on(0, -1), 0U);
  EXPECT_EQ(time.instructions_on(5, 0), 5U);
  EXPECT_EQ(time.own_event(5), 4U);
  EXPECT_EQ(time.own_event(0), 1U);
}

}  // namespace
}  // namespace tilescope
