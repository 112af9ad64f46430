// The switch between a cold and a warm L2, at the charts.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>

#include <algorithm>

#include "store/rates.h"
#include "ui/script.h"
#include "ui/state/chart_data.h"
#include "ui/state/commands.h"
#include "ui/state/live_chart.h"
#include "worker_fixture.h"

namespace tilescope {
namespace {

const char* const kCommand = "Measure with a cold L2 / warm L2";

// The point of the chart over a parameter at its present value.
ChartPoint point_of(const WindowState& state) {
  const LinkedChart chart = chart_over_parameter(state, *charted_parameter(state));
  if (chart.series.empty()) return {};
  const auto& points = chart.series[0].points;
  const auto chosen = std::ranges::find(points, true, &ChartPoint::chosen);
  return chosen == points.end() ? ChartPoint{} : *chosen;
}

std::vector<LiveRate> shown_launches(WindowState& state) {
  state.charts.live_seconds = 1e9;  // all that ran
  return present_figure(state).live.at(0).rates;
}

TEST_F(UiWithWorker, AClickMeasuresWithAWarmL2AndTheChartsShowThatAlone) {
  wait_for_measurement();
  EXPECT_TRUE(variant().measured->cold);
  const double cold = point_of(state()).rate;
  const std::size_t cold_launches = shown_launches(state()).size();
  ASSERT_GT(cold, 0);
  ASSERT_GT(cold_launches, 0U);

  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Throughput");
    ctx.ItemClick("right/warm L2");
  });
  EXPECT_FALSE(workbench_->runs().cold());
  EXPECT_TRUE(!variant().measured || !variant().measured->cold);
  wait_for_measurement();
  EXPECT_FALSE(variant().measured->cold);
  EXPECT_TRUE(says("warm L2"));
  EXPECT_GT(point_of(state()).rate, 1.1 * cold);
  const auto& live = workbench_->runs().live().launches();
  const auto warm_launches =
      static_cast<std::size_t>(std::ranges::count(live, false, &TimedLaunch::cold));
  EXPECT_EQ(shown_launches(state()).size(), warm_launches);
  EXPECT_LT(warm_launches, live.size());
  EXPECT_EQ(workbench_->runs().live().changes().back().label, "warm L2");
  const auto figure = chart_figure(state(), ChartKind::kLive);
  ASSERT_NE(figure, nullptr);
  EXPECT_FALSE(figure->cold);

  // Back: what was measured with a cold one stands there at once.
  EXPECT_EQ(*state().session.history().undo_name(), "warm L2");
  state().session.undo(state());
  EXPECT_TRUE(workbench_->runs().cold());
  EXPECT_DOUBLE_EQ(point_of(state()).rate, cold);
  EXPECT_GE(shown_launches(state()).size(), cold_launches);
  wait_for_measurement();
  EXPECT_TRUE(variant().measured->cold);
  state().session.redo(state());
  EXPECT_FALSE(workbench_->runs().cold());
}

// A measurement that is under way when the switch moves is none of the other state's.
TEST_F(UiWithWorker, WhatWasMeasuredBeforeTheSwitchIsNotShownAfterIt) {
  draw_until([this] { return variant().measure_pending; });
  workbench_->set_cold(false);
  wait_for_measurement();
  EXPECT_FALSE(variant().measured->cold);
  EXPECT_NEAR(point_of(state()).rate,
              rate_of(variant().entry->problem, *variant().measured,
                      variant().measured->kernel.median_seconds),
              1);
}

TEST_F(UiTest, RecordedPointsFollowTheL2) {
  workbench_->choose_kernel(entry("transpose/tiled"));
  for (const char* extent : {"ROWS", "COLS"}) workbench_->set_extent(extent, 1024);
  state().focused_parameter = "PAD";
  settle();
  const ChartPoint cold = point_of(state());
  ASSERT_GT(cold.rate, 0);
  const auto says = [this](const std::string& words) {
    const TextAudit texts = audit();
    return std::ranges::any_of(texts.texts, [&](const TextAudit::Text& text) {
      return text.words.find(words) != std::string::npos;
    });
  };
  EXPECT_FALSE(says("more warm only"));
  ASSERT_TRUE(run_command(state(), kCommand));
  settle();
  const ChartPoint warm = point_of(state());
  EXPECT_GT(warm.rate, cold.rate);
  EXPECT_EQ(warm.source, Source::kRecorded);
  EXPECT_TRUE(says("more cold only"));
  EXPECT_TRUE(says("Both with a cold L2.")) << "the causes and the time that they are held to";
  EXPECT_TRUE(says("warm L2"));

  // Of other parameters nothing was recorded with a warm one; the way back stays.
  workbench_->set_parameter("PAD", 0);
  settle();
  EXPECT_EQ(point_of(state()).rate, 0);
  EXPECT_TRUE(says("Recorded with a cold L2 alone."));
  workbench_->set_extent("ROWS", 96);
  settle();
  EXPECT_FALSE(state().charts.folded.value_or(false));
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Throughput");
    ctx.ItemClick("right/cold L2");
  });
  EXPECT_TRUE(workbench_->runs().cold());
}

}  // namespace
}  // namespace tilescope
