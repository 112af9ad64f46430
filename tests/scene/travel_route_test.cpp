#include <gtest/gtest.h>

#include <algorithm>

#include "scene/drawing/labels.h"
#include "scene/tiling/travel_picture.h"

namespace tilescope {
namespace {

constexpr Rect kFrom{20, 20, 20, 20};
constexpr Rect kTo{300, 200, 60, 24};

bool crosses(const Path& path, const Rect& box) {
  for (std::size_t i = 1; i < path.size(); ++i) {
    const auto [first, last] = stretch_in(path[i - 1], path[i], box);
    if (first < last) return true;
  }
  return false;
}
bool on_a_side(const Rect& box, Point at) {
  const bool upright =
      (at.x == box.x || at.x == box.right()) && at.y > box.y && at.y < box.bottom();
  const bool level = (at.y == box.y || at.y == box.bottom()) && at.x > box.x && at.x < box.right();
  return upright || level;
}

TEST(Route, IsStraightWhereNothingIsInTheWay) {
  const RouteMap map{.room = {0, 0, 400, 300}};
  const Path path = route(map, kFrom, {300, 20, 60, 20});
  ASSERT_EQ(path.size(), 2u);
  EXPECT_EQ(path.front().y, path.back().y);
  EXPECT_TRUE(on_a_side(kFrom, path.front()));
}

TEST(Route, GoesRoundWhatIsClosedAndMeetsBothSquarely) {
  const Rect wall{150, 0, 20, 260};
  const RouteMap map{.room = {0, 0, 400, 300}, .closed = {wall}};
  const Path path = route(map, kFrom, kTo);
  ASSERT_GE(path.size(), 4u);
  EXPECT_FALSE(crosses(path, wall));
  EXPECT_FALSE(crosses(path, kFrom.inset(1)));
  EXPECT_FALSE(crosses(path, kTo.inset(1)));
  EXPECT_TRUE(on_a_side(kFrom, path.front()));
  EXPECT_TRUE(on_a_side(kTo, path.back()));
  for (std::size_t i = 1; i < path.size(); ++i) {
    EXPECT_TRUE(path[i].x == path[i - 1].x || path[i].y == path[i - 1].y) << i;
    EXPECT_LE(path[i].y, 300);
  }
}

TEST(Route, CrossesAPictureOnlyWhereTheWayRoundIsLong) {
  const Rect to{300, 20, 20, 20};
  const Rect low{80, 10, 180, 40};
  RouteMap map{.room = {0, 0, 400, 300}, .pictures = {low}};
  EXPECT_FALSE(crosses(route(map, kFrom, to), low));
  const Rect all_across{150, 0, 30, 300};
  map.pictures = {all_across};
  EXPECT_TRUE(crosses(route(map, kFrom, to), all_across));
}

TEST(Route, PassesBetweenALabelAndItsNeighbour) {
  const Rect above{200, 150, 200, 12};
  const Rect below{290, 176, 40, 12};  // over the left half of the target
  const RouteMap map{.room = {0, 0, 420, 300}, .closed = {above, below}};
  const Path path = route(map, kFrom, kTo);
  EXPECT_FALSE(crosses(path, above));
  EXPECT_FALSE(crosses(path, below));
}

TEST(Route, AlongGoesFromItsBeginToItsEnd) {
  const Path path{{0, 0}, {10, 0}, {10, 30}};
  EXPECT_EQ(length_of(path), 40);
  EXPECT_EQ(along(path, 0).x, 0);
  EXPECT_EQ(along(path, 0.5f).y, 10);
  EXPECT_EQ(along(path, 1).y, 30);
}

}  // namespace
}  // namespace tilescope
