// The switch between a cold and a warm L2, at the charts.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>

#include <algorithm>

#include "store/rates.h"
#include "ui/charts/live_chart.h"
#include "ui/script.h"
#include "ui/state/chart_data.h"
#include "ui/state/commands.h"
#include "worker_fixture.h"

namespace tilescope {
namespace {

const char* const kCommand = "Measure with a cold L2 / warm L2";

// The point of the chart over a parameter at its present value.
ChartPoint point_of(const Desk& desk) {
  const LinkedChart chart = chart_over_parameter(desk, *charted_parameter(desk));
  if (chart.series.empty()) return {};
  const auto& points = chart.series[0].points;
  const auto chosen = std::ranges::find(points, true, &ChartPoint::chosen);
  return chosen == points.end() ? ChartPoint{} : *chosen;
}

std::vector<LiveSample> shown_samples(const Desk& desk) {
  return live_samples(desk, 0, {desk.now, 1e9}, live_scale(desk));
}

TEST_F(UiWithWorker, AClickMeasuresWithAWarmL2AndTheChartsShowThatAlone) {
  wait_for_measurement();
  EXPECT_TRUE(variant().measured->cold);
  const double cold = point_of(desk()).rate;
  const std::size_t cold_launches = shown_samples(desk()).size();
  ASSERT_GT(cold, 0);
  ASSERT_GT(cold_launches, 0U);

  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Throughput");
    ctx.ItemClick("right/warm L2");
  });
  EXPECT_FALSE(bench_->cold());
  EXPECT_TRUE(!variant().measured || !variant().measured->cold);
  wait_for_measurement();
  EXPECT_FALSE(variant().measured->cold);
  EXPECT_TRUE(says("warm L2"));
  EXPECT_GT(point_of(desk()).rate, 1.1 * cold);
  const auto& live = bench_->live();
  const auto warm_launches =
      static_cast<std::size_t>(std::ranges::count(live, false, &LivePoint::cold));
  EXPECT_EQ(shown_samples(desk()).size(), warm_launches);
  EXPECT_LT(warm_launches, live.size());
  EXPECT_EQ(bench_->changes().back().label, "warm L2");
  const auto figure = chart_figure(desk(), ChartKind::kLive);
  ASSERT_NE(figure, nullptr);
  EXPECT_FALSE(figure->cold);

  // Back: what was measured with a cold one stands there at once.
  EXPECT_EQ(*desk().session.history().undo_name(), "warm L2");
  desk().session.undo(desk());
  EXPECT_TRUE(bench_->cold());
  EXPECT_DOUBLE_EQ(point_of(desk()).rate, cold);
  EXPECT_GE(shown_samples(desk()).size(), cold_launches);
  wait_for_measurement();
  EXPECT_TRUE(variant().measured->cold);
  desk().session.redo(desk());
  EXPECT_FALSE(bench_->cold());
}

// A measurement that is under way when the switch moves is none of the other state's.
TEST_F(UiWithWorker, WhatWasMeasuredBeforeTheSwitchIsNotShownAfterIt) {
  draw_until([this] { return variant().measure_pending; });
  bench_->set_cold(false);
  wait_for_measurement();
  EXPECT_FALSE(variant().measured->cold);
  EXPECT_NEAR(point_of(desk()).rate,
              rate_of(variant().entry->problem, *variant().measured,
                      variant().measured->kernel.median_seconds),
              1);
}

TEST_F(UiTest, RecordedPointsFollowTheL2) {
  bench_->choose_kernel(entry("transpose/tiled"));
  for (const char* extent : {"ROWS", "COLS"}) bench_->set_extent(extent, 1024);
  desk().focused_parameter = "PAD";
  settle();
  const ChartPoint cold = point_of(desk());
  ASSERT_GT(cold.rate, 0);
  const auto says = [this](const std::string& words) {
    const TextAudit texts = audit();
    return std::ranges::any_of(texts.texts, [&](const TextAudit::Text& text) {
      return text.words.find(words) != std::string::npos;
    });
  };
  EXPECT_FALSE(says("more warm only"));
  ASSERT_TRUE(run_command(desk(), kCommand));
  settle();
  const ChartPoint warm = point_of(desk());
  EXPECT_GT(warm.rate, cold.rate);
  EXPECT_EQ(warm.source, Source::kRecorded);
  EXPECT_TRUE(says("more cold only"));
  EXPECT_TRUE(says("Both with a cold L2.")) << "the causes and the time that they are held to";
  EXPECT_TRUE(says("warm L2"));

  // Of other parameters nothing was recorded with a warm one; the way back stays.
  bench_->set_parameter("PAD", 0);
  settle();
  EXPECT_EQ(point_of(desk()).rate, 0);
  EXPECT_TRUE(says("Recorded with a cold L2 alone."));
  bench_->set_extent("ROWS", 96);
  settle();
  EXPECT_FALSE(desk().charts.folded.value_or(false));
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Throughput");
    ctx.ItemClick("right/cold L2");
  });
  EXPECT_TRUE(bench_->cold());
}

}  // namespace
}  // namespace tilescope
