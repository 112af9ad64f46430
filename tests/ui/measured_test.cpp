#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "kernel/catalogue/parameter_values.h"
#include "temporary_folder.h"
#include "ui/state/chart_data.h"
#include "ui/state/commands.h"
#include "ui/state/live_chart.h"
#include "ui/state/measurements.h"
#include "ui/state/picture_export.h"
#include "ui/state/window_state.h"
#include "worker_fixture.h"

namespace tilescope {
namespace {

TEST_F(UiWithWorker, WhatIsMeasuredStandsInThePanels) {
  for (const auto& [width, height] : {std::pair{1920, 1080}, std::pair{1280, 720}}) {
    open(width, height, Theme::kDark);
    wait_for_measurement();
    bool live = false;
    bool equal = false;
    for (const auto& text : audit().texts) {
      live |= text.words.find("Live") != std::string::npos;
      equal |= text.words.find("result correct") != std::string::npos;
    }
    EXPECT_TRUE(equal) << width;
    EXPECT_TRUE(live || width < 1920) << width;
  }
}

// What no parameter can make legal on the GPU that is there is shown as on the recorded one.
class UiWithAnAmpere : public UiWithWorker {
 protected:
  [[nodiscard]] std::unique_ptr<WorkerLink> make_link() const override {
    return start_fake_worker("measures_sm_80");
  }
};

TEST_F(UiWithAnAmpere, AKernelForAnotherGpuIsShownAsOnTheRecordedOne) {
  wait_for_measurement();
  EXPECT_EQ(state().workbench.device_model().compute_capability, 80);
  state().workbench.choose_kernel(*state().workbench.catalogue().find("gemm/warpgroup"));
  draw_until([this] { return variant().study != nullptr && !variant().study_pending; });
  EXPECT_TRUE(variant().violations.empty());
  EXPECT_EQ(variant().study->instance.id, "gemm/warpgroup");
  EXPECT_TRUE(says("Shown for an NVIDIA H200."));
  EXPECT_TRUE(says("not on this GPU"));
  for (const char* name : {"M", "N", "K"}) state().workbench.set_extent(name, 512);  // is recorded
  draw_until(
      [this] { return !variant().study_pending && says("measured in the same run, alternating"); });
  EXPECT_TRUE(says("NVIDIA H200"));
  EXPECT_FALSE(variant().measured.has_value());
  state().workbench.measure_again();
  EXPECT_FALSE(variant().measure_pending);
  EXPECT_TRUE(state().workbench.why_no_counters().has_value());
  state().workbench.choose_kernel(*state().workbench.catalogue().find("gemm/naive"));
  wait_for_measurement();
  EXPECT_EQ(variant().study->instance.id, "gemm/naive");
  EXPECT_TRUE(variant().not_here.empty());
}

const ParameterSpec& spec_of(const WindowState& state, const char* name) {
  const auto& parameters = state.workbench.active().entry->parameters;
  return *std::ranges::find(parameters, name, &ParameterSpec::name);
}

// A GPU that nothing is recorded of, beside what is recorded of an H200.
class UiWithAnH100 : public UiWithWorker {
 protected:
  [[nodiscard]] std::unique_ptr<WorkerLink> make_link() const override {
    return start_fake_worker("measures_h100");
  }
  void choose_tiled() {
    wait_for_measurement();
    workbench_->choose_kernel(*workbench_->catalogue().find("transpose/tiled"));
    for (const char* name : {"ROWS", "COLS"}) workbench_->set_extent(name, 4096);
    for (const std::int64_t pad : {0, 1}) {
      workbench_->set_parameter("PAD", pad);
      draw_until([this] { return !variant().study_pending && !variant().measure_pending; });
    }
    wait_for_measurement();
    state().focused_parameter = "PAD";
  }
};

TEST_F(UiWithAnH100, ChartsJoinNoTimesOfTwoGpus) {
  choose_tiled();
  const LinkedChart chart = chart_over_parameter(state(), spec_of(state(), "PAD"));
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[0].under.gpu, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(chart.series[0].points.size(), 2U) << "PAD 0 and 1 were measured";
  EXPECT_EQ(chart.series[1].apart, "H200");
  for (std::size_t s = 0; s < 2; ++s) {
    for (const ChartPoint& point : chart.series[s].points) {
      EXPECT_EQ(point.origin.under.gpu, chart.series[s].under.gpu);
      const auto index = static_cast<std::size_t>(point.x);
      EXPECT_EQ(std::to_string(chart.key(point).parameters.at("PAD")), chart.labels[index]);
    }
  }
  draw_frames(4);
  EXPECT_TRUE(says("A H200"));
  const auto figure = chart_figure(state(), ChartKind::kOverParameter);
  ASSERT_NE(figure, nullptr);
  EXPECT_EQ(figure->gpus(), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(figure->apart(), "H200");
}

TEST_F(UiWithAnH100, TheLadderAndTheRooflineRankItsOwnTimesAlone) {
  choose_tiled();
  const auto& entry = *workbench_->catalogue().find("transpose/naive");
  const auto other = known_rate(state(), entry, default_parameters(entry), variant().extents);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->apart, "H200");
  const auto own = known_rate(state(), *variant().entry, variant().parameters, variant().extents);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->apart, "");
  state().view = View::kRoofline;
  draw_until([this] {
    const auto& data = state().facts.shown().roofline;
    return data != nullptr && data->known.has_value();
  });
  const RooflineData& data = *state().facts.shown().roofline;
  EXPECT_EQ(data.known->source, Source::kMeasured);
  for (const LadderStep& step : data.steps) EXPECT_EQ(step.time.under, data.known->under);
  EXPECT_FALSE(data.steps_elsewhere.empty());
  for (const KnownTime& time : data.elsewhere) EXPECT_EQ(time.under.gpu, "NVIDIA H200");
}

// As a person does it: a value, a look at it, the next one.
TEST_F(UiWithWorker, DraggingASliderFillsBothChartsAndMarksTheMoments) {
  wait_for_measurement();
  state().focused_parameter = "STAGES";
  for (const std::int64_t stages : {2, 4}) {
    workbench_->set_parameter("STAGES", stages);
    draw_until([&] {
      return variant().measured && variant().study->instance.parameters.at("STAGES") == stages;
    });
  }
  const LinkedChart chart = chart_over_parameter(state(), spec_of(state(), "STAGES"));
  ASSERT_EQ(chart.series.size(), 1U);
  EXPECT_EQ(chart.series[0].points.size(), 3U);  // 2, 3 and 4
  for (const ChartPoint& point : chart.series[0].points) {
    EXPECT_EQ(point.source, Source::kMeasured);
    EXPECT_GT(point.rate, 0);
    EXPECT_LE(point.low, point.rate);
    EXPECT_GE(point.high, point.rate);
  }
  const auto& changes = workbench_->runs().live().changes();
  ASSERT_GE(changes.size(), 2U);
  EXPECT_EQ(changes[changes.size() - 2].label, "STAGES 2");
  EXPECT_EQ(changes.back().label, "STAGES 4");
  const auto& live = workbench_->runs().live();
  ASSERT_FALSE(live.empty());
  EXPECT_EQ(live.instance(live.launches().size() - 1).parameters.at("STAGES"), 4);
  EXPECT_GT(live.launches().back().at_seconds, changes.back().at_seconds);
}

// What is measured of an edited text stands in the charts, by itself.
TEST_F(UiWithWorker, AnEditedTextHasChartsOfItsOwn) {
  workbench_->choose_kernel(entry("transpose/tiled"));
  wait_for_measurement();
  state().focused_parameter = "PAD";
  const std::size_t shipped =
      chart_over_parameter(state(), spec_of(state(), "PAD")).series.at(0).points.size();
  ASSERT_GE(shipped, 1U);
  workbench_->edit_source(variant().source() + "// mine\n");
  draw_until([this] {
    return variant().measured && variant().study->instance.id == "transpose/tiled (edited)";
  });
  const auto edited = [this] { return chart_over_parameter(state(), spec_of(state(), "PAD")); };
  ASSERT_EQ(edited().series.size(), 1U);
  ASSERT_EQ(edited().series[0].points.size(), 1U) << "nothing recorded is of this text";
  EXPECT_EQ(edited().series[0].points[0].source, Source::kMeasured);
  EXPECT_TRUE(says("over PAD, edited text"));
  const std::int64_t before = variant().parameters.at("PAD");
  workbench_->set_parameter("PAD", before == 0 ? 1 : 0);
  draw_until([&] {
    return variant().measured && variant().study->instance.parameters.at("PAD") != before;
  });
  EXPECT_EQ(edited().series[0].points.size(), 2U);
  const auto figure = chart_figure(state(), ChartKind::kOverParameter);
  ASSERT_NE(figure, nullptr);
  EXPECT_EQ(figure->kernel, "transpose/tiled (edited)");
  // A click on a point sets the text's own parameters, and keeps the text.
  const LinkedChart both = edited();
  const ChartKey& first = both.key(both.series[0].points[0]);
  go_to(state(), first);
  EXPECT_TRUE(variant().is_edited());
  EXPECT_EQ(variant().parameters, first.parameters);
  // Another text has none of these.
  workbench_->edit_source(variant().source() + "// again\n");
  draw_until([this] { return variant().measured && !variant().study_pending; });
  EXPECT_EQ(edited().series[0].points.size(), 1U);
  workbench_->revert_source();
  EXPECT_GE(edited().series[0].points.size(), shipped);
}

TEST_F(UiWithWorker, TheLiveChartSaysItsUnit) {
  wait_for_measurement();
  state().charts.chosen = ChartKind::kLive;
  draw_frames(3);
  EXPECT_TRUE(says("Live, TFLOP/s") || says("Live, GFLOP/s"));
  state().preferences.rate_unit = RateUnit::kTime;
  draw_frames(3);
  EXPECT_TRUE(says("Live, ms") || says("Live, µs"));
}

TEST_F(UiWithWorker, TheFirstPointComesBeforeTheMeasurementIsDone) {
  wait_for_measurement();
  workbench_->set_parameter("STAGES", 4);
  const auto is_being_measured = [this] {
    const LinkedChart chart = chart_over_parameter(state(), spec_of(state(), "STAGES"));
    return std::ranges::any_of(chart.series, [](const ChartSeries& series) {
      return std::ranges::any_of(series.points,
                                 [](const ChartPoint& point) { return point.launches_so_far > 0; });
    });
  };
  bool seen_early = false;
  draw_until([&] {
    seen_early |= is_being_measured();
    return variant().measured && variant().study->instance.parameters.at("STAGES") == 4;
  });
  EXPECT_TRUE(seen_early);
  EXPECT_FALSE(is_being_measured());
}

TEST_F(UiWithWorker, OlderParametersAreNotMeasuredToTheEnd) {
  wait_for_measurement();
  const std::size_t before = workbench_->runs().measured().size();
  for (const std::int64_t stages : {1, 2, 4, 5, 4, 2, 1})
    workbench_->set_parameter("STAGES", stages);
  draw_until(
      [&] { return variant().measured && variant().study->instance.parameters.at("STAGES") == 1; });
  draw_until([&] { return workbench_->runs().under_way().empty(); });
  EXPECT_EQ(workbench_->runs().measured().size(), before + 1);
}

TEST_F(UiWithWorker, LaunchesOfAKernelOfOnesOwnAreAFigureOfTimes) {
  wait_for_measurement();
  ASSERT_TRUE(workbench_
                  ->open_text("__global__ void scale(const float* in, float* out, int n) {\n"
                              "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < n) out[i] = 2.0f * in[i];\n"
                              "}\n")
                  .ok());
  wait_for_measurement();
  const auto figure = chart_figure(state(), ChartKind::kLive);
  ASSERT_NE(figure, nullptr);
  EXPECT_EQ(figure->unit, RateUnit::kTime);
  EXPECT_NE(plain(rate_sentence(*figure)).find(" takes "), std::string::npos);
  EXPECT_EQ(chart_figure(state(), ChartKind::kOverSize), nullptr);
  state().picture_export.subject = PictureExport::Subject::kLive;
  const auto request = export_request(state());
  ASSERT_TRUE(request);
  EXPECT_EQ(request->chart->live.front().rates.size(), figure->live.front().rates.size());
}

constexpr const char* kOwnText =
    "__global__ void scale(const float* in, float* out, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = 2.0f * in[i];\n"
    "}\n";

// What was measured of a text of one's own stands beside its model, until the text or its launch
// is another one.
TEST_F(UiWithWorker, AKernelOfOnesOwnHasItsTimeInTheRoofline) {
  wait_for_measurement();
  ASSERT_TRUE(workbench_->open_text(kOwnText).ok());
  wait_for_measurement();
  draw_until([this] { return !variant().study_pending && !variant().grid_pending; });
  const auto known = [this]() -> std::optional<KnownTime> {
    const auto& data = state().facts.shown().roofline;
    return data != nullptr ? data->known : std::nullopt;
  };
  ASSERT_TRUE(known());
  EXPECT_EQ(known()->source, Source::kMeasured);
  EXPECT_EQ(known()->seconds, variant().measured->kernel.median_seconds);
  EXPECT_TRUE(state().facts.shown().roofline->steps.empty());
  EXPECT_FALSE(says("no time is known"));
  EXPECT_FALSE(says("of peak")) << "no rate is known of a file";
  ASSERT_TRUE(run_command(state(), "Export a chart …"));
  EXPECT_EQ(state().picture_export.subject, PictureExport::Subject::kLive);
  state().picture_export.open = false;
  state().view = View::kRoofline;
  draw_frames(3);
  EXPECT_TRUE(says("model"));
  EXPECT_FALSE(says("no time is known"));

  bool forgotten = false;
  const std::string block = variant().own->launch.block;
  LaunchForm other = variant().own->launch;
  other.block = block == "64" ? "128" : "64";
  workbench_->set_launch(other);
  draw_until([&] {
    forgotten |= !known() && variant().study->instance.block.x == 64;
    return variant().measured && variant().study->instance.block.x == 64;
  });
  EXPECT_TRUE(forgotten) << "the time of another launch";
  ASSERT_TRUE(known());
  other.block = block;
  workbench_->set_launch(other);
  draw_until([&] { return !variant().study_pending && variant().study->instance.block.x != 64; });
  EXPECT_TRUE(known()) << "it was measured before";
}

// What is recorded is of the catalogue's text, not of one that was made from it.
TEST_F(UiTest, AnEditedTextHasNotTheRecordedTimeOfTheOneThatShips) {
  for (const char* name : {"M", "N", "K"}) workbench_->set_extent(name, 512);  // is recorded
  settle();
  ASSERT_NE(state().facts.shown().roofline, nullptr);
  ASSERT_TRUE(state().facts.shown().roofline->known);
  workbench_->edit_source(variant().source() + "// mine\n");
  settle();
  ASSERT_TRUE(variant().is_edited());
  ASSERT_NE(state().facts.shown().roofline, nullptr);
  EXPECT_FALSE(state().facts.shown().roofline->known);
  EXPECT_FALSE(state().facts.shown().roofline->steps.empty()) << "its family's";
}

TEST_F(UiWithWorker, TheUnitChangesAxisFigureAndLadderTogether) {
  wait_for_measurement();
  EXPECT_TRUE(says("GFLOP/s") || says("TFLOP/s"));
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Throughput");
    ctx.ItemClick("**/unit");
    ctx.SetRef("//$FOCUSED");
    ctx.ItemClick("time of a launch");
  });
  ASSERT_EQ(state().preferences.rate_unit, RateUnit::kTime);
  draw_frames(3);
  int in_time = 0;
  for (const auto& text : audit().texts) {
    const bool of_axis = text.words == "µs" || text.words == "ms";
    in_time += of_axis ? 1 : 0;
  }
  EXPECT_GE(in_time, 2);  // the chart's title and the ladder's head
  state().preferences.rate_unit = RateUnit::kReferenceShare;
  draw_frames(3);
  EXPECT_TRUE(says("% of cuBLAS"));
  state().preferences.rate_unit = RateUnit::kPeakShare;
  draw_frames(3);
  EXPECT_TRUE(says("% of peak"));
}

TEST_F(UiWithWorker, AClickOnAPointSetsWhatItWasMeasuredOf) {
  wait_for_measurement();
  state().focused_parameter = "STAGES";
  const ParameterSet before = variant().parameters;
  workbench_->set_parameter("STAGES", 5);
  draw_until(
      [&] { return variant().measured && variant().study->instance.parameters.at("STAGES") == 5; });
  // The point of STAGES 3, found as a person finds it: the pointer goes along its column.
  ImGuiWindow* window = ImGui::FindWindowByName("Throughput");
  ASSERT_NE(window, nullptr);
  bool found = false;
  for (float x = 0.25F; x < 0.27F && !found; x += 0.008F) {  // the middle of the left chart
    for (float y = 0.15F; y < 0.95F && !found; y += 0.03F) {
      ImGui::GetIO().AddMousePosEvent(window->Pos.x + x * window->Size.x,
                                      window->Pos.y + y * window->Size.y);
      draw_frames(2);
      const auto& hovered = state().charts.hovered;
      found = hovered && hovered->parameters == before;
    }
  }
  ASSERT_TRUE(found);
  ImGui::GetIO().AddMouseButtonEvent(0, true);
  draw_frames(2);
  ImGui::GetIO().AddMouseButtonEvent(0, false);
  draw_frames(2);
  EXPECT_EQ(variant().parameters, before);
}

TEST(LiveChart, ZoomsAndScrollsAndComesBackToThePresent) {
  ChartState charts;
  zoom_live(charts, 2, 100);
  EXPECT_LT(charts.live_seconds, 60);
  EXPECT_FALSE(charts.live_end);
  scroll_live(charts, -30, 100);
  ASSERT_TRUE(charts.live_end);
  EXPECT_DOUBLE_EQ(*charts.live_end, 70);
  scroll_live(charts, 40, 100);
  EXPECT_FALSE(charts.live_end);
  zoom_live(charts, -1000, 100);
  EXPECT_LE(charts.live_seconds, 3600);
}

TEST(PreferencesFile, KeepsTheUnit) {
  const testing::TemporaryFolder folder;
  const auto file = folder / "unit.json";
  Remembered remembered;
  remembered.preferences.rate_unit = RateUnit::kPeakShare;
  save_remembered(file, remembered);
  EXPECT_EQ(load_remembered(file).preferences.rate_unit, RateUnit::kPeakShare);
  save_remembered(file, Remembered{});
  EXPECT_FALSE(load_remembered(file).preferences.rate_unit);
}

TEST_F(UiTest, WithoutAGpuTheLiveChartSaysWhyItIsEmptyAndWhatWouldFillIt) {
  settle();
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Throughput");
    ctx.ItemClick("**/show live");
  });
  draw_frames(3);
  std::string all;
  for (const auto& text : audit().texts) all += text.words + " ";
  EXPECT_NE(all.find("No GPU: a test has none"), std::string::npos);
  EXPECT_NE(all.find("This chart needs measurements"), std::string::npos);
  EXPECT_TRUE(workbench_->runs().live().empty());
}

}  // namespace
}  // namespace tilescope
