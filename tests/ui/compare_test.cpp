#include <imgui.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "analysis/study/moment.h"
#include "scene/compare/compare_scene.h"
#include "scene/views.h"
#include "ui/state/chart_data.h"
#include "ui/state/time_control.h"
#include "ui/state/view_context.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

// Three transposes beside one another, through the mouse and the keys of the real window.
class CompareTest : public UiTest {
 protected:
  void SetUp() override {
    UiTest::SetUp();
    if (IsSkipped()) return;
    choose("transpose/naive", -1, 128);
    workbench_->add_variant();
    choose("transpose/tiled", 0, 128);
    workbench_->add_variant();
    choose("transpose/tiled", 1, 128);
    state().raise = View::kCompare;
    settle();
    ASSERT_NE(state().facts.shown().compared, nullptr);
    ASSERT_EQ(state().facts.shown().compared->variants.size(), 3U);
  }
  void choose(const char* kernel, std::int64_t pad, std::int64_t size) {
    workbench_->choose_kernel(entry(kernel));
    for (const char* name : {"ROWS", "COLS"}) workbench_->set_extent(name, size);
    if (pad >= 0) workbench_->set_parameter("PAD", pad);
  }
  // Where a text stands on screen, the `nth` that has these words; {-1, -1}: nowhere.
  ImVec2 place_of(const std::string& words, int nth = 0) {
    const TextAudit texts = audit();
    for (const TextAudit::Text& text : texts.texts) {
      if (text.words.find(words) == std::string::npos || nth-- > 0) continue;
      return {text.screen.center().x, text.screen.center().y};
    }
    return {-1, -1};
  }
  void click_on(const std::string& words, int nth = 0) {
    const ImVec2 place = place_of(words, nth);
    ASSERT_GE(place.x, 0) << words;
    act([place](ImGuiTestContext& ctx) {
      ctx.MouseMoveToPos(place);
      ctx.MouseClick();
    });
    settle();
  }
  [[nodiscard]] bool says(const std::string& words) { return place_of(words).x >= 0; }
  [[nodiscard]] Variant& at(std::size_t index) { return workbench_->variants()[index]; }
  [[nodiscard]] static double share(const Variant& variant) {
    return static_cast<double>(variant.selection.event) /
           static_cast<double>(variant.study->trace->events.size());
  }
};

TEST_F(CompareTest, TheTabShowsAllThreeAndSaysSo) {
  EXPECT_EQ(state().view, View::kCompare);
  EXPECT_TRUE(says("Tiled, PAD 0"));
  EXPECT_TRUE(says("Tiled, PAD 1"));
  EXPECT_TRUE(says("32 wavefronts"));
  EXPECT_TRUE(says("base A"));
}

TEST_F(CompareTest, SteppingTheActiveOneMovesTheOthers) {
  for (const std::uint32_t events : {3U, 2U}) {
    const auto last = static_cast<std::uint32_t>(variant().study->trace->events.size()) - 1;
    go_to_event(state(), last / events);
    settle();
    for (const std::size_t other : {std::size_t{0}, std::size_t{1}}) {
      EXPECT_NEAR(share(at(other)), share(variant()), 0.02) << other;
    }
  }
  const std::uint32_t before = at(1).selection.event;
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Shift | ImGuiKey_Period); });
  settle();
  EXPECT_GT(at(1).selection.event, before);
}

TEST_F(CompareTest, BringingAnotherToTheFrontMovesNothing) {
  go_to_event(state(), 101);
  settle();
  const std::uint32_t first = at(0).selection.event;
  workbench_->activate(0);
  settle();
  workbench_->activate(2);
  settle();
  EXPECT_EQ(at(0).selection.event, first);
  EXPECT_EQ(at(2).selection.event, 101U);
}

TEST_F(CompareTest, WhatMovesAlongByItselfIsNoStepToUndo) {
  workbench_->add_variant();
  choose("transpose/diagonal", -1, 128);
  settle();
  ASSERT_EQ(workbench_->variants().size(), 4U);
  while (workbench_->variants().size() == 4U) {
    const std::string step = *state().session.history().undo_name();
    EXPECT_EQ(step.find("time"), std::string::npos) << step;
    state().session.undo(state());
    draw_frames(2);
  }
}

TEST_F(CompareTest, OutOfSightNothingFollows) {
  state().raise = View::kBanks;
  settle();
  const std::uint32_t before = at(0).selection.event;
  go_to_event(state(), 5);
  settle();
  EXPECT_EQ(at(0).selection.event, before);
}

TEST_F(CompareTest, HoveringALaneMarksItInEveryPane) {
  const ImVec2 title = place_of("32 sectors");
  ASSERT_GE(title.x, 0);
  int lane = -1;
  act([&](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos({title.x - 40, title.y + 16});
    ctx.Yield(3);
    ASSERT_EQ(state().hovered.kind, HitKind::kLane);
    lane = static_cast<int>(state().hovered.value);
    const ViewContext context = view_context(state(), variant().study.get(), variant());
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(context_of_variant(context, i).selection.lane, lane);
    }
    ctx.MouseClick();
    ctx.MouseMoveToPos({title.x, title.y - 30});
    ctx.Yield(3);
    EXPECT_NE(state().hovered.kind, HitKind::kLane);
  });
  EXPECT_GE(lane, 16);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(at(i).selection.lane, lane) << i;
}

TEST_F(CompareTest, AnEmptyViewOpensAKernelThatFillsIt) {
  workbench_->choose_kernel(entry("transpose/naive"));
  state().raise = View::kBanks;
  settle();
  click_on("open transpose/tiled");
  ASSERT_NE(variant().entry, nullptr);
  EXPECT_EQ(variant().entry->id, "transpose/tiled");
}

TEST_F(CompareTest, TabsOfOneNameSayWhatSetsThemApart) {
  state().raise = View::kTiling;
  settle();
  EXPECT_TRUE(says("Tiled, PAD 0"));
  EXPECT_TRUE(says("Tiled, PAD 1"));
}

TEST_F(CompareTest, HoveringALineMarksItInThePanesOfItsFile) {
  const ImVec2 title = place_of("shared load · line 47");
  ASSERT_GE(title.x, 0);
  act([&](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos(title);
    ctx.Yield(3);
    EXPECT_EQ(state().hovered.kind, HitKind::kLine);
    const ViewContext context = view_context(state(), variant().study.get(), variant());
    EXPECT_EQ(context.hovered_line, 47U);
    EXPECT_TRUE(is_hovered_line(context, 1, 47));
    EXPECT_TRUE(is_hovered_line(context, 2, 47));
    EXPECT_FALSE(is_hovered_line(context, 0, 47)) << "of another file";
  });
}

TEST_F(CompareTest, XFlipsBetweenTheActiveOneAndTheBase) {
  const auto press = [&] {
    act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_X); });
    settle();
  };
  press();
  EXPECT_EQ(state().view_settings.compare_mode, CompareMode::kOne);
  EXPECT_EQ(state().view_settings.compare_pane, 2);
  // The tab of each says its name once; its pane says it again.
  const auto has_pane = [&](const std::string& name) { return place_of(name, 1).x >= 0; };
  EXPECT_TRUE(has_pane("Tiled, PAD 1"));
  EXPECT_FALSE(has_pane("Tiled, PAD 0"));
  press();
  EXPECT_EQ(state().view_settings.compare_pane, 0);
  EXPECT_FALSE(has_pane("Tiled, PAD 1"));
  press();
  EXPECT_EQ(state().view_settings.compare_pane, 2);
  click_on("side by side");
  EXPECT_TRUE(has_pane("Tiled, PAD 0"));
}

TEST_F(CompareTest, TheOverlayAndAnyViewAreAClickAway) {
  click_on("overlay");
  EXPECT_EQ(state().view_settings.compare_mode, CompareMode::kOverlay);
  EXPECT_TRUE(says("SECTORS"));
  click_on("side by side");
  click_on("coalescing");
  EXPECT_EQ(state().view_settings.compare_view, static_cast<int>(View::kCoalescing));
  EXPECT_TRUE(says("GLOBAL MEMORY INSTRUCTIONS"));
  EXPECT_FALSE(says("NUMBERS"));
}

TEST_F(CompareTest, AStepOfTheWaterfallGoesOffAndOn) {
  // A size at which the family is recorded.
  for (std::size_t i = 0; i < 3; ++i) {
    workbench_->activate(static_cast<int>(i));
    for (const char* name : {"ROWS", "COLS"}) workbench_->set_extent(name, 1024);
  }
  settle();
  const Waterfall before = waterfall_of(view_context(state(), variant().study.get(), variant()));
  ASSERT_TRUE(before.is_ladder);
  ASSERT_GE(before.steps.size(), 3U);
  click_on("Thread per row", 1);
  EXPECT_TRUE(state().view_settings.steps_off.contains("transpose/per_row"));
  click_on("Thread per row", 1);
  EXPECT_TRUE(state().view_settings.steps_off.empty());
  click_on("variants");
  EXPECT_FALSE(state().view_settings.compare_ladder);
  EXPECT_TRUE(says("FROM A TO"));
}

TEST_F(CompareTest, AReasonLeadsToItsLineInItsKernel) {
  click_on("a 32-way conflict at line");
  EXPECT_EQ(workbench_->active_index(), 1) << "the conflict is B's";
  EXPECT_EQ(variant().selection.line, 47U);
}

TEST_F(CompareTest, TheSizesOfAllVariantsStandBelow) {
  const RateChart chart = chart_over_size(state());
  EXPECT_EQ(chart.series.size(), 3U);
  EXPECT_TRUE(says("over size"));
}

TEST_F(CompareTest, APastedKernelComparesByTheModel) {
  workbench_->add_variant();
  ASSERT_TRUE(workbench_
                  ->open_text("__global__ void transpose(const float* in, float* out, int n) {\n"
                              "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                              "  if (x < n && y < n) out[x * n + y] = in[y * n + x];\n}\n")
                  .ok());
  settle();
  ASSERT_EQ(state().facts.shown().compared->variants.size(), 4U);
  EXPECT_NE(state().facts.shown().compared->variants[3].study, nullptr);
  EXPECT_TRUE(state().facts.shown().compared->comparison.modelled);
  const ViewContext context = view_context(state(), variant().study.get(), variant());
  EXPECT_TRUE(plain(sentence_of(View::kCompare, context)).starts_with("By the model D (transpose)"))
      << plain(sentence_of(View::kCompare, context));
}

// What takes its time is not the frame's: names stand there until it is done.
TEST_F(CompareTest, TheSetIsMadeBesideTheFrames) {
  const auto before = state().facts.shown().compared;
  workbench_->add_variant();
  draw_frame();
  ASSERT_EQ(state().facts.shown().compared->variants.size(), 4U);
  if (state().facts.pending()) {  // on a busy machine a frame may take longer than all of it
    EXPECT_EQ(state().facts.shown().compared->variants[0].study, nullptr);
    EXPECT_FALSE(state().facts.shown().compared->variants[0].missing.empty());
  }
  settle();
  for (int i = 0; state().facts.pending() && i < 1'000; ++i) {  // it is no work of the workbench
    draw_frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_FALSE(state().facts.pending());
  EXPECT_EQ(state().facts.shown().compared->variants[0].study, before->variants[0].study);
  workbench_->set_parameter("PAD", 2);
  settle();
  EXPECT_EQ(state().facts.shown().compared->variants[3].study, at(3).study);
  workbench_->close_variant(3);
  draw_frame();
  EXPECT_EQ(state().facts.shown().compared->variants.size(), 3U);
}

TEST_F(CompareTest, ClosingOneLeavesTwoThenTheEmptyState) {
  workbench_->close_variant(1);
  settle();
  ASSERT_EQ(state().facts.shown().compared->variants.size(), 2U);
  workbench_->close_variant(0);
  settle();
  EXPECT_EQ(state().facts.shown().compared, nullptr);
  EXPECT_TRUE(says("Only one variant"));
  const CatalogueEntry* own = variant().entry;
  click_on("compare with the other kernels of this family");
  EXPECT_EQ(workbench_->variants().size(), 4U);
  EXPECT_EQ(variant().entry, own);
  EXPECT_TRUE(std::ranges::is_sorted(workbench_->variants(), {}, [](const Variant& each) {
    return each.entry->step;
  })) << "they stand in the ladder's order";
  EXPECT_EQ(state().facts.shown().compared->variants.size(), 4U);
}

TEST_F(CompareTest, AWholeFamilyIsSteppedThrough) {
  workbench_->close_variant(2);
  workbench_->close_variant(1);
  settle();
  const CatalogueEntry* own = variant().entry;
  const auto members = static_cast<std::size_t>(
      std::ranges::count(workbench_->catalogue().entries, own->family, &CatalogueEntry::family));
  ASSERT_GT(members, 4U);
  click_on("step through the whole family");
  settle();
  ASSERT_TRUE(state().presentation.presents());
  EXPECT_GT(state().presentation.scenes().size(), 4U);
  const CatalogueEntry* first = variant().entry;
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_PageDown); });
  settle();
  EXPECT_EQ(variant().entry->step, first->step + 1) << "in the ladder's order";
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_Escape); });
  settle();
  EXPECT_FALSE(state().presentation.presents());
  EXPECT_EQ(variant().entry, own) << "what was open comes back";
}

TEST_F(CompareTest, NothingIsCutInASmallWindow) {
  open(1280, 720, Theme::kLight);
  choose("transpose/naive", -1, 128);
  workbench_->add_variant();
  choose("transpose/tiled", 0, 128);
  state().raise = View::kCompare;
  settle();
  for (const int part : {0, 1, 2}) {
    state().view_settings.compare_part = part;
    for (const TextAudit::Text& text : audit().texts) EXPECT_FALSE(text.cut) << text.words;
  }
}

}  // namespace
}  // namespace tilescope
