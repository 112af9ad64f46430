#include "ui/workbench/tuner.h"

#include <imgui.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <set>

#include "store/recorded_library.h"
#include "ui/panels/tuner_panel.h"
#include "worker_fixture.h"

namespace tilescope {
namespace {

using Stage = Tuner::Stage;

// Only STAGES moves: five combinations.
void explore_stages(Tuner& tuner, const CatalogueEntry& entry) {
  for (const ParameterSpec& spec : entry.parameters) {
    tuner.explore(spec.name, spec.name == "STAGES");
  }
  tuner.look();
}

TEST(TunerWords, PromiseNoHistoryOfModelledTimes) {
  EXPECT_NE(how_it_goes(true).find("Measured points are added to the history"), std::string::npos);
  EXPECT_EQ(how_it_goes(false).find("Measured points"), std::string::npos);
}

class Tuning : public UiWithWorker {
 protected:
  void begin() {
    wait_for_measurement();
    state().focus_panel = "Tuner";
    explore_stages(tuner(), *variant().entry);
    draw_until([this] { return tuner().count().has_value(); });
    ASSERT_EQ(tuner().count()->legal, 5U);
    tuner().start();
  }
  [[nodiscard]] Tuner& tuner() { return state().tuner; }
};

TEST_F(Tuning, TriesEveryLegalSetOnceAndEndsWithTheFastest) {
  const ParameterSet start = variant().parameters;
  begin();
  draw_until([this] { return tuner().stage() == Stage::kDone && !tuner().explaining(); });
  EXPECT_FALSE(tuner().stopped());
  EXPECT_TRUE(tuner().measures());
  ASSERT_EQ(tuner().ranked().size(), 5U);
  std::set<ParameterSet> sets;
  double before = 0;
  for (const TunedVariant& variant : tuner().ranked()) {
    sets.insert(variant.parameters);
    EXPECT_EQ(variant.problem, "");
    EXPECT_GE(variant.seconds, before);
    EXPECT_GT(variant.reference_seconds, 0);
    EXPECT_TRUE(variant.refined);
    EXPECT_GT(variant.registers, 0);
    before = variant.seconds;
  }
  EXPECT_EQ(sets.size(), 5U);
  EXPECT_TRUE(sets.contains(start));
  ASSERT_NE(tuner().story(), nullptr);
  // The pretended GPU is the faster the nearer a parameter is to 8.
  EXPECT_EQ(tuner().best()->parameters.at("STAGES"), 5);
  EXPECT_NE(tuner().story()->headline.find("STAGES 3 → 5 takes"), std::string::npos)
      << tuner().story()->headline;
  EXPECT_FALSE(tuner().story()->reasons.empty());
  EXPECT_TRUE(says("WHY THE WINNER WINS"));
  EXPECT_TRUE(says("All 5 measured."));
  EXPECT_NE(tuner_words(tuner(), variant(), "").find("The fastest takes "), std::string::npos);
}

TEST_F(Tuning, EveryPointIsKept) {
  begin();
  draw_until([this] { return tuner().stage() == Stage::kDone; });
  std::set<std::int64_t> stages;
  for (const Measurement& point : workbench_->runs().measured()) {
    stages.insert(point.of.parameters.at("STAGES"));
  }
  EXPECT_EQ(stages.size(), 5U);
}

TEST_F(Tuning, PauseHoldsAndGoingOnEnds) {
  begin();
  draw_until([this] { return tuner().done() >= 1; });
  tuner().pause(true);
  EXPECT_FALSE(tuner().running());
  draw_until([this] { return !workbench_->busy(); });
  const std::size_t held = tuner().done();
  draw_frames(60);
  EXPECT_EQ(tuner().done(), held);
  EXPECT_LT(held, 5U);
  EXPECT_TRUE(says("Paused with"));
  tuner().pause(false);
  draw_until([this] { return tuner().stage() == Stage::kDone; });
  EXPECT_EQ(tuner().ranked().size(), 5U);
}

TEST_F(Tuning, StopKeepsWhatWasFound) {
  begin();
  draw_until([this] { return tuner().done() >= 1; });
  tuner().pause(true);  // or it would be done before the button is reached
  draw_until([this] { return !workbench_->busy(); });
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Tuner");
    ctx.ItemClick("stop");
  });
  EXPECT_EQ(tuner().stage(), Stage::kDone);
  EXPECT_TRUE(tuner().stopped());
  const std::size_t kept = tuner().ranked().size();
  EXPECT_GE(kept, 1U);
  EXPECT_LT(kept, 5U);
  draw_frames(60);
  EXPECT_EQ(tuner().ranked().size(), kept);
  tuner().reset();
  EXPECT_EQ(tuner().stage(), Stage::kReady);
}

TEST_F(Tuning, AClickOnARowSetsItsParameters) {
  begin();
  draw_until([this] { return tuner().stage() == Stage::kDone && !tuner().explaining(); });
  const ParameterSet best = tuner().best()->parameters;
  ASSERT_NE(variant().parameters, best);
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Tuner");
    ctx.ItemClick("**/$$1/combination");
  });
  EXPECT_EQ(variant().parameters, best);
}

class TuningWithoutGpu : public UiTest {};

TEST_F(TuningWithoutGpu, ShowsWhatIsRecordedBeforeAnythingIsTried) {
  for (const auto& [name, value] : variant().entry->default_extents) {
    workbench_->set_extent(name, value);
  }
  settle();
  state().focus_panel = "Tuner";
  settle();
  const auto recorded = state().recorded.runs(*variant().entry, variant().extents);
  if (recorded.size() < 2) GTEST_SKIP() << "the kernel was changed since it was recorded";
  EXPECT_LE(recorded[0]->result.kernel.median_seconds, recorded[1]->result.kernel.median_seconds);
  ASSERT_NE(variant().parameters, recorded[0]->of.parameters);
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//Tuner/$$1/combination"); });
  EXPECT_EQ(variant().parameters, recorded[0]->of.parameters);
}

TEST_F(TuningWithoutGpu, TheModelRanksAndSaysSo) {
  settle();
  Tuner& tuner = state().tuner;
  state().focus_panel = "Tuner";
  explore_stages(tuner, *variant().entry);
  settle();
  ASSERT_TRUE(tuner.count().has_value());
  EXPECT_NE(
      tuner_words(tuner, variant(), "").find("Without a GPU they are ranked by the time model (◇)"),
      std::string::npos);
  tuner.start();
  settle();
  ASSERT_EQ(tuner.stage(), Stage::kDone);
  EXPECT_FALSE(tuner.measures());
  ASSERT_EQ(tuner.ranked().size(), 5U);
  for (const TunedVariant& variant : tuner.ranked()) {
    EXPECT_GT(variant.seconds, 0) << variant.problem;
  }
  ASSERT_NE(tuner.story(), nullptr);
  EXPECT_TRUE(workbench_->runs().measured().empty());
}

TEST_F(TuningWithoutGpu, SaysWhyThereIsNothingToTry) {
  settle();
  Tuner& tuner = state().tuner;
  for (const ParameterSpec& spec : variant().entry->parameters) tuner.explore(spec.name, false);
  workbench_->edit_source(variant().source() + "\n// mine\n");
  EXPECT_NE(tuner_words(tuner, variant(), "").find("The text is edited"), std::string::npos);
  ASSERT_TRUE(workbench_->open_text("__global__ void f(float* p) { p[threadIdx.x] = 1; }\n").ok());
  EXPECT_EQ(tuner_words(tuner, variant(), "").find("one by one"), std::string::npos);
  EXPECT_NE(tuner_words(tuner, variant(), "").find("your own kernel has none"), std::string::npos);
  ASSERT_TRUE(workbench_
                  ->open_text("#define N 4\n__global__ void f(float* p) {\n"
                              "  for (int i = 0; i < N; ++i) p[threadIdx.x + 32 * i] = 1;\n}\n")
                  .ok());
  EXPECT_NE(tuner_words(tuner, variant(), "").find("You can still move its sliders"),
            std::string::npos);
}

}  // namespace
}  // namespace tilescope
