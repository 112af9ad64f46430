#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "export/png_file.h"
#include "session/measurements.h"
#include "session_export_fixture.h"
#include "ui/state/chart_data.h"
#include "ui/state/export_command.h"
#include "ui/state/measurements.h"

// Charts of what was measured in a run of the program, as files: by the window, and by the command
// once the session keeps the measurements.
namespace tilescope {
namespace {

class LiveExport : public SessionExport {};

constexpr std::array kCharts{Subject::kLive, Subject::kOverParameter, Subject::kOverSize};

TEST_F(LiveExport, IsTheSameByCommandOnceTheSessionIsSaved) {
  choose("transpose/tiled", 64);
  state().focused_parameter = "PAD";
  workbench_->set_parameter("PAD", 0);
  measure();
  for (const Subject subject : kCharts) {
    state().picture_export.subject = subject;
    EXPECT_EQ(export_command(state()), "");
    EXPECT_TRUE(wants_saved_session(state()));
    EXPECT_NE(why_no_export_command(state()).find("Save it"), std::string::npos);
  }
  save();
  for (const Subject subject : kCharts) {
    EXPECT_FALSE(wants_saved_session(state()));
    for (const char* ending : {".svg", ".csv", ".json", ".png"}) expect_same(subject, ending);
    const std::string table = testing::read_file(folder_ / "window.csv");
    EXPECT_NE(table.find("measured"), std::string::npos);
  }
  state().picture_export.subject = Subject::kLive;
  EXPECT_NE(export_command(state()).find("--view throughput --over time"), std::string::npos);
  // Its place in time does not change with the clock; its stretch does with a scroll.
  const std::string before = by_window(Subject::kLive, "before.csv");
  draw_frames(20);
  EXPECT_TRUE(before == by_window(Subject::kLive, "after.csv"));
  state().charts.live_seconds = 10;
  state().charts.live_end = workbench_->runs().live().launches().back().at_seconds - 0.01;
  EXPECT_EQ(export_command(state()), "") << "the file has another stretch";
  save();
  expect_same(Subject::kLive, ".json");
}

TEST_F(LiveExport, InEveryUnitAndWithAWarmCache) {
  choose("gemm/naive", 64);
  save();
  for (const RateUnit unit : all_rate_units()) {
    state().preferences.rate_unit = unit;
    for (const Subject subject : kCharts) {
      state().picture_export.subject = subject;
      if (subject != Subject::kLive && chart_figure(state(), ChartKind::kOverSize) == nullptr) {
        continue;
      }
      expect_same(subject, ".csv");
    }
  }
  state().preferences.rate_unit.reset();
  workbench_->set_cold(false);
  measure();
  EXPECT_EQ(export_command(state()), "");
  save();
  for (const Subject subject : kCharts) expect_same(subject, ".svg");
  EXPECT_NE(testing::read_file(folder_ / "window.svg").find("warm L2"), std::string::npos);
}

// Several variants, one with a text of its own, and factors.
TEST_F(LiveExport, OfSeveralVariants) {
  choose("gemm/naive", 64);
  workbench_->add_variant();
  workbench_->set_factor("beta", 0.5);
  measure();
  workbench_->add_variant();
  workbench_->edit_source(variant().source() + "// mine\n");
  measure();
  for (const int active : {2, 1}) {
    workbench_->activate(active);
    settle();
    save();
    for (const Subject subject : kCharts) {
      for (const char* ending : {".svg", ".csv"}) expect_same(subject, ending);
    }
    const LinkedChart chart = chart_over_size(state());
    EXPECT_EQ(std::ranges::count_if(chart.series,
                                    [](const ChartSeries& series) { return series.apart.empty(); }),
              3)
        << "each has a point of its own";
  }
}

TEST_F(LiveExport, OfAKernelOfYourOwn) {
  ASSERT_TRUE(workbench_
                  ->open_text("__global__ void scale(const float* in, float* out, int n) {\n"
                              "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < n) out[i] = 2.0f * in[i];\n"
                              "}\n")
                  .ok());
  measure();
  save();
  for (const char* ending : {".svg", ".csv"}) expect_same(Subject::kLive, ending);
}

// Where the session is opened again there may be no GPU, or another one.
TEST_F(LiveExport, OpenedElsewhereItIsRecordedThere) {
  choose("transpose/tiled", 64);
  state().focused_parameter = "PAD";
  workbench_->set_parameter("PAD", 0);
  measure();
  save();
  const std::string gpu = workbench_->runs().measured().back().machine.gpu;
  ASSERT_FALSE(gpu.empty());
  std::vector<std::string> here;
  for (const Subject subject : kCharts) here.push_back(by_window(subject, "here.csv"));

  has_gpu_ = false;
  open(1920, 1080, Theme::kDark);
  settle();
  EXPECT_EQ(chart_figure(state(), ChartKind::kLive), nullptr) << "nothing is invented";
  ASSERT_TRUE(state().session.open(state(), session_).ok());
  settle();
  state().focused_parameter = "PAD";
  EXPECT_TRUE(workbench_->runs().live().empty());
  ASSERT_NE(state().opened, nullptr);
  EXPECT_EQ(state().opened->device.name, gpu);
  EXPECT_FALSE(state().session.changed());
  const LinkedChart chart = chart_over_parameter(state(), *charted_parameter(state()));
  ASSERT_EQ(chart.series.size(), 1U);
  for (const ChartPoint& point : chart.series[0].points) {
    EXPECT_EQ(point.source, Source::kRecorded) << "not of this run of the program";
    EXPECT_EQ(point.origin.under.gpu, gpu);
    EXPECT_EQ(point.origin.date.size(), 10U);
  }
  std::size_t index = 0;
  for (const Subject subject : kCharts) {
    EXPECT_TRUE(by_window(subject, "there.csv") == here[index++]);
    expect_same(subject, ".svg");
  }
  state().charts.chosen = ChartKind::kLive;
  draw_frames(4);
  EXPECT_TRUE(says("recorded on"));
  EXPECT_EQ(times_said("measured"), 1) << "where the marks are explained";
  EXPECT_EQ(times_said("recorded"), 1) << "likewise: the chart's own title says where";
  if (const char* pictures = std::getenv("TILESCOPE_UI_PICTURES")) {
    ASSERT_TRUE(write_png(platform_->read_pixels(), std::string(pictures) + "/opened.png").ok());
  }
  // Saved again it still has them.
  save();
  EXPECT_TRUE(state().session.holds(measurements_of(state())));
  EXPECT_FALSE(measurements_of(state()).launches.empty());
}

}  // namespace
}  // namespace tilescope
