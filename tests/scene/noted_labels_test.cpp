#include <gtest/gtest.h>

#include "scene/drawing/labels.h"
#include "scene/recording_canvas.h"

namespace tilescope {
namespace {

TEST(NotedLabels, AStretchIsTheShareOfTheLineInTheRectangle) {
  const Rect rect{10, 10, 20, 10};
  const auto across = stretch_in({0, 15}, {40, 15}, rect);
  EXPECT_FLOAT_EQ(across.first, 0.25f);
  EXPECT_FLOAT_EQ(across.second, 0.75f);
  const auto ends_inside = stretch_in({20, 0}, {20, 15}, rect);
  EXPECT_FLOAT_EQ(ends_inside.first, 10.0f / 15);
  EXPECT_FLOAT_EQ(ends_inside.second, 1);
  for (const auto& [from, to] : {std::pair(Point{0, 5}, Point{40, 5}),    // above
                                 std::pair(Point{0, 20}, Point{40, 20}),  // along an edge
                                 std::pair(Point{0, 12}, Point{9, 12}),   // before it
                                 std::pair(Point{0, 12}, Point{12, 30}),  // past a corner
                                 std::pair(Point{35, 0}, Point{35, 40})}) {
    const auto beside = stretch_in(from, to, rect);
    EXPECT_GE(beside.first, beside.second) << from.x << " " << from.y;
  }
}

TEST(NotedLabels, ALinePartsWhereTextsStandAndNowhereElse) {
  RecordingCanvas canvas;
  NotedLabels labels(canvas);
  TextStyle style;
  style.align = Align::kCenter;
  labels.text({50, 20}, "a label", style);
  labels.text({55, 24}, "another", style);  // over the first one's place
  labels.text({150, 100}, "far away", style);
  labels.line_between({0, 20}, {100, 20}, ColourRole::kFirst, 1, 2);
  ASSERT_EQ(canvas.lines.size(), 2u);
  EXPECT_EQ(canvas.lines.front().from.x, 0);
  EXPECT_LT(canvas.lines.front().to.x, canvas.texts[0].box.x);
  EXPECT_GT(canvas.lines.back().from.x, canvas.texts[1].box.right());
  EXPECT_EQ(canvas.lines.back().to.x, 100);
  EXPECT_EQ(canvas.crossed_label(), "");
  labels.line({0, 20}, {100, 20}, ColourRole::kFirst, 1);
  EXPECT_NE(canvas.crossed_label(), "") << "a line of the plain kind goes through";
}

}  // namespace
}  // namespace tilescope
