#include <imgui_te_context.h>

#include <string>
#include <vector>

#include "session/measurements.h"
#include "session_export_fixture.h"
#include "ui/state/export_command.h"
#include "ui/state/measurements.h"
#include "ui/state/picture_export.h"
#include "ui/state/view_context.h"

// Views, pages and the tuner with what was read in a run of the program, as files: by the window,
// and by the command once the session keeps it; and again where the session is opened without a
// GPU.
namespace tilescope {
namespace {

class SittingExport : public SessionExport {
 protected:
  void show(View view) {
    state().raise = view;
    draw_until([&] { return state().view == view; });
    settle();
  }
  void wait_for_counts() {
    draw_until([this] {
      const auto& study = *variant().study;
      return study.counters && study.counters->whole_grid && study.issued_counters &&
             study.issued_counters->whole_grid && !variant().grid_pending;
    });
  }
  // Asks for a saved session, and writes the same once there is one.
  void expect_kept(Subject subject) {
    state().picture_export.subject = subject;
    EXPECT_EQ(export_command(state()), "");
    EXPECT_TRUE(wants_saved_session(state())) << why_no_export_command(state());
    EXPECT_NE(why_no_export_command(state()).find("Save it"), std::string::npos);
    save();
    for (const char* ending : {".svg", ".csv", ".json"}) expect_same(subject, ending);
    here_ = by_window(subject, "here.csv");
    EXPECT_NE(here_.find("measured"), std::string::npos);
  }
  // The window without a GPU opens what was saved.
  void open_elsewhere() {
    has_gpu_ = false;
    open(1920, 1080, Theme::kDark);
    settle();
    ASSERT_TRUE(state().session.open(state(), session_).ok());
    settle();
  }
  std::string here_;
};

TEST_F(SittingExport, CountersThatWereRead) {
  choose("transpose/tiled", 64);
  workbench_->read_counters();
  draw_until([this] { return variant().reading.complete(); });
  wait_for_counts();
  expect_kept(Subject::kCounters);
  open_elsewhere();
  wait_for_counts();
  ASSERT_NE(state().facts.shown().hardware, nullptr);
  EXPECT_EQ(state().facts.shown().hardware->source, Source::kRecorded)
      << "not of this run of the program";
  EXPECT_EQ(state().facts.shown().hardware->device, "Fake GPU");
  EXPECT_TRUE(by_window(Subject::kCounters, "there.csv") == here_);
  expect_same(Subject::kCounters, ".svg");
  // Of other parameters there are none.
  workbench_->set_parameter("PAD", variant().parameters.at("PAD") + 1);
  settle();
  EXPECT_EQ(state().facts.shown().hardware, nullptr);
}

TEST_F(SittingExport, PhasesThatWereMeasured) {
  choose("gemm/shared_tile", 64);
  show(View::kPipeline);
  draw_until([this] { return !workbench_->runs().phases().empty(); });
  settle();
  const auto shown = view_context(state(), variant().study.get(), variant()).phases;
  ASSERT_NE(shown, nullptr);
  draw_frame();
  EXPECT_EQ(view_context(state(), variant().study.get(), variant()).phases, shown)
      << "not copied for every frame";
  wait_for_counts();
  state().picture_export.subject = Subject::kView;
  expect_kept(Subject::kView);
  EXPECT_NE(testing::read_file(folder_ / "window.svg").find("measured by clock stamps"),
            std::string::npos);
  const std::string svg = by_window(Subject::kView, "here.svg");
  open_elsewhere();
  show(View::kPipeline);
  wait_for_counts();
  expect_same(Subject::kView, ".svg");
  EXPECT_NE(testing::read_file(folder_ / "window.svg").find("measured on Fake GPU by clock stamps"),
            std::string::npos);
  EXPECT_TRUE(says("recorded on Fake GPU by clock stamps"));
}

TEST_F(SittingExport, TimesInRooflineAndComparison) {
  choose("gemm/naive", 64);
  workbench_->add_variant();
  workbench_->choose_kernel(entry("gemm/shared_tile"));
  for (const char* extent : {"M", "N", "K"}) workbench_->set_extent(extent, 64);
  measure();
  wait_for_counts();
  for (const View view : {View::kRoofline, View::kCompare}) {
    show(view);
    state().picture_export.subject = Subject::kView;
    if (view == View::kRoofline) expect_kept(Subject::kView);
    save();  // the view in front stands in the file too
    for (const char* ending : {".svg", ".csv"}) expect_same(Subject::kView, ending);
    EXPECT_NE(testing::read_file(folder_ / "window.svg").find("measured on Fake GPU"),
              std::string::npos);
  }
  open_elsewhere();
  for (const View view : {View::kRoofline, View::kCompare}) {
    show(view);
    wait_for_counts();
    save();
    for (const char* ending : {".svg", ".csv"}) expect_same(Subject::kView, ending);
    EXPECT_NE(testing::read_file(folder_ / "window.svg").find("measured on Fake GPU"),
              std::string::npos);
  }
  // Not of this run of the program, and not of the GPU that the views are of here: they stand
  // apart.
  const RooflineData& roofline = *state().facts.shown().roofline;
  EXPECT_FALSE(roofline.known);
  ASSERT_FALSE(roofline.elsewhere.empty());
  EXPECT_EQ(roofline.elsewhere[0].source, Source::kRecorded);
  EXPECT_EQ(roofline.elsewhere[0].under.gpu, "Fake GPU");
  const ComparedVariant& first = state().facts.shown().compared->variants[0];
  EXPECT_FALSE(first.known);
  ASSERT_FALSE(first.elsewhere.empty());
  EXPECT_EQ(first.elsewhere[0].source, Source::kRecorded);
}

// What was measured of a text of one's own is in the session's pictures, and in no other text's.
TEST_F(SittingExport, TimesOfATextOfOnesOwn) {
  choose("transpose/tiled", 64);
  ASSERT_TRUE(workbench_
                  ->open_text("__global__ void scale(const float* in, float* out, int n) {\n"
                              "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < n) out[i] = 2.0f * in[i];\n"
                              "}\n")
                  .ok());
  draw_until([this] { return variant().measured.has_value() && !variant().study_pending; });
  wait_for_counts();
  show(View::kRoofline);
  state().picture_export.subject = Subject::kView;
  expect_kept(Subject::kView);
  EXPECT_NE(testing::read_file(folder_ / "window.svg").find("measured on Fake GPU"),
            std::string::npos);
  open_elsewhere();
  show(View::kRoofline);
  wait_for_counts();
  expect_same(Subject::kView, ".svg");
  ASSERT_NE(state().facts.shown().roofline, nullptr);
  EXPECT_FALSE(state().facts.shown().roofline->known);
  ASSERT_FALSE(state().facts.shown().roofline->elsewhere.empty());
  EXPECT_EQ(state().facts.shown().roofline->elsewhere[0].source, Source::kRecorded)
      << "not of this run of the program";
  workbench_->edit_source(variant().source() + "// another\n");
  settle();
  EXPECT_EQ(state().facts.shown().roofline, nullptr) << "another text";
}

TEST_F(SittingExport, WhatTheTunerTried) {
  choose("transpose/tiled", 64);
  for (const char* name : {"TILE", "BLOCK_ROWS"}) state().tuner.explore(name, false);
  state().tuner.look();
  draw_until([this] { return state().tuner.count().has_value(); });
  state().tuner.start();
  draw_until([this] {
    return state().tuner.stage() == Tuner::Stage::kDone && !state().tuner.explaining() &&
           workbench_->runs().under_way().empty();
  });
  settle();
  expect_kept(Subject::kTuner);
  // Also when a new run is prepared, and where another kernel stands in front.
  state().tuner.reset();
  expect_same(Subject::kTuner, ".csv");
  EXPECT_NE(export_command(state()).find("--variant A --view tuner"), std::string::npos);
  open_elsewhere();
  ASSERT_NE(tuned_figure(state()), nullptr);
  EXPECT_TRUE(by_window(Subject::kTuner, "there.csv") == here_);
  expect_same(Subject::kTuner, ".svg");
  state().focus_panel = "Tuner";
  draw_until([this] { return says("TRIED BEFORE"); });
}

TEST_F(SittingExport, WhatTheTunerModelled) {
  has_gpu_ = false;
  open(1920, 1080, Theme::kDark);
  workbench_->choose_kernel(entry("transpose/tiled"));
  for (const char* extent : {"ROWS", "COLS"}) workbench_->set_extent(extent, 64);
  settle();
  for (const char* name : {"TILE", "BLOCK_ROWS"}) state().tuner.explore(name, false);
  state().tuner.look();
  settle();
  state().tuner.start();
  settle();
  ASSERT_EQ(state().tuner.stage(), Tuner::Stage::kDone);
  state().picture_export.subject = Subject::kTuner;
  EXPECT_TRUE(wants_saved_session(state()));
  save();
  for (const char* ending : {".svg", ".csv"}) expect_same(Subject::kTuner, ending);
  EXPECT_NE(testing::read_file(folder_ / "window.csv").find("modelled"), std::string::npos);
}

// A row of the tuner's table stands for what was measured: a click brings it all back.
TEST_F(SittingExport, AClickedRowBringsItsFactorsAndSizeBack) {
  choose("gemm/shared_tile", 64);
  workbench_->set_factor("beta", 0.5);
  measure();
  const std::string first = variant().entry->parameters.front().name;
  for (const ParameterSpec& spec : variant().entry->parameters) {
    state().tuner.explore(spec.name, spec.name == first);
  }
  state().focus_panel = "Tuner";
  state().tuner.look();
  draw_until([this] { return state().tuner.count().has_value(); });
  state().tuner.start();
  draw_until([this] {
    return state().tuner.stage() == Tuner::Stage::kDone && !state().tuner.explaining();
  });
  ASSERT_GE(state().tuner.ranked().size(), 2U);
  EXPECT_TRUE(says("beta 0.5"));
  workbench_->set_factor("beta", 0);
  for (const char* extent : {"M", "N", "K"}) workbench_->set_extent(extent, 128);
  settle();
  const ParameterSet before = variant().parameters;
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//Tuner/$$1/combination"); });
  draw_frames(3);
  EXPECT_EQ(variant().parameters, state().tuner.ranked().front().parameters);
  EXPECT_EQ(variant().factors, (GemmFactors{{"beta", 0.5}}));
  EXPECT_EQ(variant().extents.at("M"), 64);
  state().session.undo(state());
  draw_frames(3);
  EXPECT_EQ(variant().parameters, before);
  EXPECT_TRUE(variant().factors.empty()) << "one step";
  EXPECT_EQ(variant().extents.at("M"), 128);
}

}  // namespace
}  // namespace tilescope
