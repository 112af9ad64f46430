#include <gtest/gtest.h>

#include "scene/drawing/labels.h"

namespace tilescope {
namespace {

using Order = std::vector<std::size_t>;

TEST(ReadingOrder, GoesRowByRowAndFromLeftToRight) {
  const std::vector<Rect> marks{
      {100, 40, 20, 20}, {10, 40, 20, 20}, {60, 0, 20, 20}, {0, 80, 9, 9}};
  EXPECT_EQ(reading_order(marks), (Order{2, 1, 0, 3}));
}

TEST(ReadingOrder, MarksOfARowNeedNotBeginAtOneHeight) {
  const std::vector<Rect> marks{{100, 0, 20, 20}, {10, 6, 20, 8}, {50, 12, 20, 20}};
  EXPECT_EQ(reading_order(marks), (Order{1, 0, 2}));  // the last begins below the row's middle
}

TEST(ReadingOrder, KeepsTheOrderOfWhatLiesOnOnePlace) {
  const std::vector<Rect> marks{{0, 0, 10, 10}, {0, 0, 10, 10}, {0, 0, 5, 5}};
  EXPECT_EQ(reading_order(marks), (Order{0, 1, 2}));
  EXPECT_TRUE(reading_order({}).empty());
}

}  // namespace
}  // namespace tilescope
