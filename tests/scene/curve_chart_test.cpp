// Charts over one number that a person turns.
#include "scene/curves/curve_chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tilescope {
namespace {

using Axis = CurveChart::Axis;

TEST(CurveChartAxis, IsByRatiosWhereItsRangeIsWide) {
  EXPECT_TRUE((Axis{"n", 1, 64, {}}).is_logarithmic());
  EXPECT_FALSE((Axis{"n", 0, 64, {}}).is_logarithmic()) << "0 has no ratio";
  EXPECT_FALSE((Axis{"n", 8, 64, {}}).is_logarithmic());
  const Axis wide{"n", 1, 4096, {}};
  EXPECT_DOUBLE_EQ(wide.share_of(64), 0.5);
  EXPECT_DOUBLE_EQ(wide.value_at(0.5), 64);
  const Axis even{"n", 10, 20, {}};
  EXPECT_DOUBLE_EQ(even.share_of(15), 0.5);
  EXPECT_DOUBLE_EQ(even.value_at(1), 20);
}

TEST(CurveChartAxis, HasRoundTicks) {
  EXPECT_EQ((Axis{"n", 0, 1, {}}).ticks(5),
            (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_EQ((Axis{"n", 1, 256, {}}).ticks(8),
            (std::vector<double>{1, 2, 4, 8, 16, 32, 64, 128, 256}));
  EXPECT_EQ((Axis{"n", 1, 256, {}}).ticks(4), (std::vector<double>{1, 4, 16, 64, 256}));
  EXPECT_EQ((Axis{"n", 3, 110, {}}).ticks(6), (std::vector<double>{5, 10, 20, 50, 100}));
  EXPECT_EQ((Axis{"n", 3, 110, {}}).ticks(2), (std::vector<double>{10, 100}));
  EXPECT_FALSE(std::signbit((Axis{"n", 0, 3, {}}).ticks(3)[0]));
}

TEST(CurveChart, HasAControlWhereTheNumberChangesACurve) {
  CurveChart chart;
  chart.curves = {{"flat", {{0, 2}, {1, 2}}, 2}};
  EXPECT_FALSE(chart.has_control());
  chart.curves.push_back({"rising", {{0, 2}, {1, 3}}, 2});
  EXPECT_TRUE(chart.has_control());
}

TEST(CurveChart, HasRoomForAllItShows) {
  CurveChart chart;
  chart.curves = {{"a", {{0, 2}, {1, 10}}, 3}};
  chart.dots = {{"d", 0.5, 12, Source::kRecorded}};
  fit_y_axis({&chart, 1});
  EXPECT_EQ(chart.y.from, 0);
  EXPECT_GT(chart.y.to, 12);
  chart.curves = {{"a", {{0, 1}, {1, 1000}}, 3}};
  chart.dots.clear();
  fit_y_axis({&chart, 1});
  EXPECT_TRUE(chart.y.is_logarithmic());
  EXPECT_EQ(chart.y.from, 1);
}

// Frames of a page: at no place of the number does the axis differ.
TEST(CurveChart, HasOneAxisForSeveralCharts) {
  std::vector<CurveChart> charts(3);
  charts[0].curves = {{"a", {{0, 1}, {1, 1}}, 1}};
  charts[1].curves = {{"a", {{0, 1}, {1, 4096}}, 1}};
  charts[2].dots = {{"d", 0.5, 5000, Source::kRecorded}};
  fit_y_axis(charts);
  EXPECT_GT(charts[2].y.to, 5000);
  for (const CurveChart& chart : charts) {
    EXPECT_EQ(chart.y.from, 1);
    EXPECT_EQ(chart.y.to, charts[2].y.to);
  }
}

// While a number is turned the curves move, not the axis.
TEST(CurveChart, KeepsItsAxisAndWidensItByDoublings) {
  CurveChart chart;
  const auto with = [&](double least, double most) {
    chart.curves = {{"a", {{0, least}, {1, most}}, least}};
    fit_y_axis({&chart, 1});
  };
  with(1, 20);
  const CurveChart::Axis before = chart.y;
  EXPECT_TRUE(before.is_logarithmic());
  with(1, 5);
  keep_y_axis(&chart, before);
  EXPECT_EQ(chart.y.from, before.from);
  EXPECT_EQ(chart.y.to, before.to);
  with(1, 50);
  keep_y_axis(&chart, before);
  EXPECT_GE(chart.y.to, 50);
  EXPECT_LT(chart.y.to, 2 * 50);
  EXPECT_EQ(chart.y.from, before.from);
}

}  // namespace
}  // namespace tilescope
