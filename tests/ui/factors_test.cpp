#include <imgui.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "build_config.h"
#include "session_fixture.h"
#include "store/recorded_library.h"
#include "ui/state/actions.h"
#include "ui/state/chart_data.h"
#include "ui/state/export_command.h"
#include "ui/state/measurements.h"
#include "ui/state/picture_export.h"
#include "ui/state/view_context.h"
#include "worker_fixture.h"

// alpha and beta of C = alpha A B + beta C, in the window.
namespace tilescope {
namespace {

class FactorsTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    if (!IsSkipped()) choose("gemm/naive", 64);
  }
  [[nodiscard]] double loaded_bytes() { return problem_cost(variant().study->instance).bytes; }
  [[nodiscard]] std::uint64_t load_sectors() {
    const KernelStudy& study = *variant().study;
    return metrics_of(*study.program, *study.counters)
        .at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  }
  void set_beta(double value) {
    workbench_->set_factor("beta", value);
    settle();
  }
};

TEST_F(FactorsTest, BetaReadsCInWhatIsEmulatedAndVerified) {
  const double bytes = loaded_bytes();
  const std::uint64_t sectors = load_sectors();
  set_beta(0.5);
  ASSERT_NE(variant().study, nullptr);
  EXPECT_EQ(factors_of(variant().study->instance), (GemmFactors{{"beta", 0.5}}));
  EXPECT_EQ(loaded_bytes() - bytes, 64 * 64 * 4) << "each element of C once more";
  EXPECT_EQ(load_sectors() - sectors, 64 * 64 * 4 / 32);
  ASSERT_TRUE(variant().study->verification);
  EXPECT_TRUE(variant().study->verification->ok());
}

TEST_F(FactorsTest, TypedInThePanelTheyAreAStepOfUndoAndOfTheSession) {
  act([](ImGuiTestContext& ui) {
    ui.SetRef("Parameters");
    ui.ItemInputValue("**/##alpha", "-2");
    ui.ItemInputValue("**/##beta", "0.1");
  });
  settle();
  EXPECT_EQ(variant().factors, (GemmFactors{{"alpha", -2}, {"beta", 0.1}}));
  const Document typed = document();
  save(file("factors.tilescope"));
  act([](ImGuiTestContext& ui) { ui.KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z); });
  settle();
  EXPECT_EQ(variant().factors, (GemmFactors{{"alpha", -2}}));
  EXPECT_EQ(factors_of(variant().study->instance), variant().factors);
  act([](ImGuiTestContext& ui) { ui.KeyPress(ImGuiMod_Ctrl | ImGuiKey_Y); });
  settle();
  EXPECT_TRUE(same_content(document(), typed));
  ASSERT_TRUE(run_command(state(), "Alpha 1 and beta 0: C is not read"));
  settle();
  EXPECT_TRUE(variant().factors.empty());
  open_session(file("factors.tilescope"));
  EXPECT_TRUE(same_content(document(), typed));
  EXPECT_EQ(factors_of(variant().study->instance), variant().factors);
}

TEST_F(FactorsTest, StayWithTheProblemAndMeanNothingElsewhere) {
  set_beta(1);
  workbench_->set_factor("beta", std::numeric_limits<double>::infinity());
  workbench_->set_factor("gamma", 3);
  EXPECT_EQ(variant().factors, (GemmFactors{{"beta", 1}}));
  workbench_->choose_kernel(entry("gemm/shared_tile"));
  EXPECT_EQ(variant().factors, (GemmFactors{{"beta", 1}})) << "as its size does";
  workbench_->choose_kernel(entry("transpose/naive"));
  EXPECT_TRUE(variant().factors.empty());
  ASSERT_TRUE(run_command(state(), "Beta 1: C is read and added to"));
  EXPECT_TRUE(variant().factors.empty());
  EXPECT_NE(state().note.find("no alpha and beta"), std::string::npos);
}

TEST_F(FactorsTest, TheWindowAndTheCommandWriteTheSameBytes) {
  choose("gemm/naive", 64);
  workbench_->set_factor("alpha", 2);
  set_beta(-0.5);
  for (const char* ending : {".svg", ".csv"}) {
    state().picture_export.file = file(("a" + std::string(ending)).c_str());
    export_picture(state());
    settle();
    std::string command = export_command(state());
    EXPECT_NE(command.find(" --alpha 2 --beta -0.5"), std::string::npos) << command;
    const std::string program = "tilescope ";
    ASSERT_TRUE(command.starts_with(program));
    command.replace(0, program.size(), "'" + std::string(TILESCOPE_PROGRAM) + "' ");
    const std::string window = testing::read_file(state().picture_export.file);
    std::filesystem::remove(state().picture_export.file);
    ASSERT_EQ(std::system((command + " > /dev/null").c_str()), 0) << command;
    EXPECT_TRUE(window == testing::read_file(state().picture_export.file)) << command;
    EXPECT_NE(window.find("beta -0.5"), std::string::npos);
  }
}

// What is on record and what others published is of alpha 1 and beta 0.
TEST_F(FactorsTest, NothingRecordedStandsForAnotherBeta) {
  choose("gemm/shared_tile", 512);
  state().focused_parameter = "TILE";
  const ParameterSpec& spec = variant().entry->parameters.front();
  const auto points = [&] {
    const LinkedChart chart = chart_over_parameter(state(), spec);
    return chart.series.empty() ? 0U : chart.series[0].points.size();
  };
  const auto known = [&] {
    return known_measurements(state(), Source::kRecorded)
        .of(variant().study->instance, variant().entry, true);
  };
  ASSERT_GT(points(), 0U);
  ASSERT_FALSE(known().empty());
  ASSERT_NE(tuned_figure(state()), nullptr);
  set_beta(1);
  EXPECT_EQ(points(), 0U);
  EXPECT_TRUE(chart_over_size(state()).series.empty());
  EXPECT_TRUE(chart_over_size(state()).marks.empty());
  EXPECT_TRUE(known().empty());
  EXPECT_FALSE(known_rate(state(), *variant().entry, variant().parameters, variant().extents));
  EXPECT_EQ(tuned_figure(state()), nullptr);
  EXPECT_EQ(state().recorded.find(*variant().entry, variant().parameters, variant().extents, true,
                                  variant().factors),
            nullptr);
}

TEST_F(FactorsTest, ComparedVariantsSayWhatSetsThemApart) {
  workbench_->add_variant();
  set_beta(0.5);
  state().raise = View::kCompare;
  settle();
  const auto& set = state().facts.shown().compared;
  ASSERT_NE(set, nullptr);
  EXPECT_EQ(label_of(*set, 0), "Naive, beta 0");
  EXPECT_EQ(label_of(*set, 1), "Naive, beta 0.5");
  const auto row = std::ranges::find(set->comparison.rows, "beta", &MetricRow::name);
  ASSERT_NE(row, set->comparison.rows.end());
  EXPECT_EQ(row->values[0]->value, 0);
  EXPECT_EQ(row->values[1]->value, 0.5);
}

// The tuner tries its combinations with the factors that stand in the window.
TEST_F(FactorsTest, TheTunerTriesThem) {
  choose("gemm/shared_tile", 64);
  set_beta(1);
  for (const ParameterSpec& spec : variant().entry->parameters) {
    state().tuner.explore(spec.name, spec.name == variant().entry->parameters.front().name);
  }
  state().tuner.look();
  settle();
  state().tuner.start();
  settle();
  ASSERT_EQ(state().tuner.stage(), Tuner::Stage::kDone);
  EXPECT_EQ(state().tuner.factors(), (GemmFactors{{"beta", 1}}));
  EXPECT_EQ(tuned_figure(state())->factors, (GemmFactors{{"beta", 1}}));
  EXPECT_NE(tuned_figure(state())->parameter_words.find("beta 1"), std::string::npos);
}

TEST_F(UiWithWorker, WhatIsMeasuredWithAnotherBetaIsAnotherPoint) {
  wait_for_measurement();
  const ParameterSpec& spec = variant().entry->parameters.front();
  state().focused_parameter = spec.name;
  const auto chart = [&] { return chart_over_parameter(state(), spec); };
  const LinkedChart plain = chart();
  ASSERT_EQ(plain.series.size(), 1U);
  workbench_->set_factor("beta", 0.5);
  EXPECT_TRUE(chart().series.empty()) << "nothing is known of this yet";
  draw_until(
      [this] { return variant().measured && !factors_of(variant().study->instance).empty(); });
  const LinkedChart reads = chart();
  ASSERT_EQ(reads.series.size(), 1U);
  ASSERT_EQ(reads.series[0].points.size(), 1U);
  EXPECT_EQ(reads.series[0].points[0].source, Source::kMeasured);
  EXPECT_EQ(reads.key(reads.series[0].points[0]).factors, (GemmFactors{{"beta", 0.5}}));
  EXPECT_FALSE(reads.key(reads.series[0].points[0]) == plain.key(plain.series[0].points[0]));
  EXPECT_GT(reads.series[0].points[0].cost.bytes, plain.series[0].points[0].cost.bytes);
  EXPECT_EQ(workbench_->runs().live().changes().back().label, "beta 0.5");
  EXPECT_EQ(workbench_->runs().measured().back().of.factors, (GemmFactors{{"beta", 0.5}}));
  // A click on a point sets what it was measured with.
  go_to(state(), plain.key(plain.series[0].points[0]));
  EXPECT_TRUE(variant().factors.empty());
  EXPECT_EQ(chart().series.size(), 1U);
  go_to(state(), reads.key(reads.series[0].points[0]));
  EXPECT_EQ(variant().factors, (GemmFactors{{"beta", 0.5}}));
}

}  // namespace
}  // namespace tilescope
