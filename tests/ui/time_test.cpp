#include <imgui.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <string>

#include "scene/model/tiling_model.h"
#include "scene/view/default_selection.h"
#include "scene/views.h"
#include "ui/script.h"
#include "ui/state/time_control.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

// The controls of time, each through the mouse and the keys of the real window.
class TimeTest : public UiTest {
 protected:
  void SetUp() override {
    UiTest::SetUp();
    if (IsSkipped()) return;
    settle();
    ASSERT_NE(variant().study, nullptr);
  }
  void click(const char* item) {
    act([item](ImGuiTestContext& ctx) {
      ctx.SetRef("Transport");
      ctx.ItemClick(item);
    });
  }
  void press(ImGuiKeyChord chord) {
    act([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); });
  }
  [[nodiscard]] std::uint32_t now() { return variant().selection.event; }
  [[nodiscard]] const Timeline& timeline() { return *variant().study->timeline; }
  // As the selected warp goes through it.
  [[nodiscard]] WarpTime way() {
    return time_of(*variant().study, *variant().prepared, variant().selection.warp);
  }
  [[nodiscard]] std::uint32_t last() {
    return static_cast<std::uint32_t>(variant().study->trace->events.size()) - 1;
  }
  // Runs script commands as `--script` does.
  void run_script(const std::string& text) {
    auto commands = parse_script(text, "test");
    ASSERT_TRUE(commands.ok()) << to_string(commands.error());
    Script script(*std::move(commands));
    const ScriptHost host{[](const std::string&) { return ok_status(); }, [] { return true; },
                          [](int, int) {}, [] {}};
    for (;;) {
      const Result<bool> more = script.advance(state(), host);
      ASSERT_TRUE(more.ok()) << to_string(more.error());
      if (!*more) return;
      draw_frame();
    }
  }
};

TEST_F(TimeTest, StepsOfAnInstructionGoBothWays) {
  for (const std::uint32_t warp : {0U, 3U}) {
    variant().selection.warp = warp;
    const auto own = way().own;
    ASSERT_GT(own.size(), 12U);
    variant().selection.event = own[10];
    click("on");
    EXPECT_EQ(now(), own[11]);
    click("back");
    click("back");
    EXPECT_EQ(now(), own[9]);
    press(ImGuiKey_Period);
    EXPECT_EQ(now(), own[10]);
    press(ImGuiKey_Comma);
    EXPECT_EQ(now(), own[9]);
  }
}

TEST_F(TimeTest, StepsOfAnAccessSkipWhatLiesBetween) {
  const auto& instructions = variant().study->program->instructions();
  const auto& events = variant().study->trace->events;
  const auto is_access = [&](std::uint32_t event) {
    return instructions[events[event].instruction].access != AccessKind::kNone;
  };
  variant().selection.event = way().own[0];
  press(ImGuiKey_M);
  const std::uint32_t first = now();
  EXPECT_TRUE(is_access(first));
  press(ImGuiKey_M);
  const std::uint32_t second = now();
  EXPECT_GT(second, first);
  EXPECT_TRUE(is_access(second));
  press(ImGuiMod_Shift | ImGuiKey_M);
  EXPECT_EQ(now(), first);
  // Playing takes the same way, slowly enough to be followed.
  state().playback.speed = 8;
  press(ImGuiKey_Space);
  const double begin = workbench_->now_seconds();
  while (now() == first && workbench_->now_seconds() < begin + 60) draw_frame();
  EXPECT_EQ(now(), second);
  press(ImGuiKey_Space);
}

TEST_F(TimeTest, StepsOfATileGoBothWays) {
  for (const std::uint32_t warp : {0U, 3U}) {
    variant().selection.warp = warp;
    const auto& begins = timeline().warp_steps[warp];
    ASSERT_GT(begins.size(), 3U);
    variant().selection.event = begins[1];
    click("tile on");
    EXPECT_EQ(now(), begins[2]);
    press(ImGuiKey_PageDown);
    EXPECT_EQ(now(), begins[3]);
    click("tile back");
    press(ImGuiKey_PageUp);
    EXPECT_EQ(now(), begins[1]);
  }
}

TEST_F(TimeTest, StepsOfAPhaseGoBothWays) {
  const std::uint32_t first = way().own.front();
  const std::uint32_t second = way().phases_on(first, 1);
  const std::uint32_t third = way().phases_on(first, 2);
  const std::uint32_t fourth = way().phases_on(first, 3);
  ASSERT_GT(fourth, third);
  variant().selection.event = second;
  click("phase on");
  EXPECT_EQ(now(), third);
  press(ImGuiMod_Shift | ImGuiKey_Period);
  EXPECT_EQ(now(), fourth);
  click("phase back");
  press(ImGuiMod_Shift | ImGuiKey_Comma);
  EXPECT_EQ(now(), second);
  variant().selection.event = 0;
  press(ImGuiMod_Shift | ImGuiKey_Comma);
  EXPECT_EQ(now(), 0U);
  variant().selection.event = last();
  press(ImGuiMod_Shift | ImGuiKey_Period);
  EXPECT_EQ(now(), last());  // there is none after it, and time never goes back on its own
}

// The transport, the sentence and the picture tell of one step, that of the selected warp.
TEST_F(TimeTest, EveryPartSaysTheSameStep) {
  for (const std::uint32_t warp : {0U, 5U}) {
    variant().selection.warp = warp;
    for (const std::uint32_t share : {1U, 3U, 6U}) {
      variant().selection.event = last() / 7 * share;
      const StepTiles& tiles = variant().prepared->tiling->by_tile;
      const auto tile = tiles.multiplied_in(timeline().step_of(warp, now()));
      ASSERT_TRUE(tile.has_value());
      EXPECT_EQ(describe_moment(variant(), now()).where,
                "Warp " + std::to_string(warp) + " · tile " + std::to_string(*tile) + " of 0…" +
                    std::to_string(tiles.count - 1));
      ViewContext context;
      context.study = variant().study.get();
      context.prepared = variant().prepared;
      context.selection = variant().selection;
      const std::string sentence = plain(sentence_of(View::kTiling, context));
      EXPECT_NE(sentence.find("ile " + std::to_string(*tile) + " is multiplied"), std::string::npos)
          << sentence;
    }
  }
}

TEST_F(TimeTest, PlayingGoesAlongTheSelectedWarp) {
  for (const std::uint32_t warp : {0U, 7U}) {
    variant().selection.warp = warp;
    variant().selection.event = way().own[5];
    state().playback.by_access = false;
    state().playback.speed = 8;
    press(ImGuiKey_Space);
    std::uint32_t before = now();
    int moved = 0;
    const double deadline = workbench_->now_seconds() + 60;
    while (moved < 20 && workbench_->now_seconds() < deadline) {
      draw_frame();
      ASSERT_GE(now(), before);
      if (now() != before) {
        ++moved;
        EXPECT_TRUE(std::ranges::binary_search(way().own, now()));
      }
      before = now();
    }
    EXPECT_EQ(moved, 20);
    press(ImGuiKey_Space);
  }
}

TEST_F(TimeTest, TheStripScrubs) {
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Transport");
    ctx.ItemClick("time");
  });
  const double share = static_cast<double>(now()) / last();
  EXPECT_GT(share, 0.3);
  EXPECT_LT(share, 0.6);  // the labels stand at the left
}

TEST_F(TimeTest, KeysSetALoopThatPlayingRepeatsUntilItIsCleared) {
  variant().selection.event = 100;
  press(ImGuiKey_I);
  EXPECT_EQ(variant().marks.loop_in, 100U);
  EXPECT_FALSE(variant().marks.loops());
  const std::uint32_t out = last() / 8;
  ASSERT_GT(out, 1000U);
  variant().selection.event = out;
  press(ImGuiKey_O);
  ASSERT_TRUE(variant().marks.loops());
  state().playback.by_access = false;
  state().playback.speed = 8;
  variant().selection.event = last();
  press(ImGuiKey_Space);
  bool came_back = false;
  std::uint32_t before = 100;
  const double deadline = workbench_->now_seconds() + 60;
  while (!came_back && workbench_->now_seconds() < deadline) {
    draw_frame();
    ASSERT_GE(now(), 100U);
    ASSERT_LE(now(), out);
    came_back = now() < before;
    before = now();
  }
  EXPECT_TRUE(came_back);
  EXPECT_TRUE(state().playback.playing);
  press(ImGuiKey_Space);
  click("loop");
  EXPECT_FALSE(variant().marks.loop_in.has_value());
  EXPECT_FALSE(variant().marks.loop_out.has_value());
  variant().selection.event = 100;
  press(ImGuiKey_O);
  press(ImGuiKey_L);
  EXPECT_FALSE(variant().marks.loop_out.has_value());
}

TEST_F(TimeTest, DraggingWithShiftOnTheStripSetsTheLoop) {
  const std::uint32_t before = now();
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Transport");
    ctx.MouseMove("time");
    ctx.KeyDown(ImGuiMod_Shift);
    ctx.MouseDragWithDelta(ImVec2(80, 0));
    ctx.KeyUp(ImGuiMod_Shift);
  });
  ASSERT_TRUE(variant().marks.loops());
  EXPECT_LT(*variant().marks.loop_in, *variant().marks.loop_out);
  EXPECT_EQ(now(), before);
}

TEST_F(TimeTest, AnEndPastTheOtherMovesItAlong) {
  set_loop_in(state(), 50);
  set_loop_out(state(), 90);
  set_loop_in(state(), 120);
  EXPECT_EQ(variant().marks.loop_out, 120U);
  set_loop_out(state(), 30);
  EXPECT_EQ(variant().marks.loop_in, 30U);
}

TEST_F(TimeTest, EveryBookmarkIsSetGoneToAndRemoved) {
  for (int number = 0; number < 10; ++number) {
    variant().selection.event = static_cast<std::uint32_t>(number) * last() / 12 + 7;
    press(ImGuiMod_Shift | static_cast<ImGuiKey>(ImGuiKey_0 + number));
  }
  for (int number = 0; number < 10; ++number) {
    variant().selection.event = 0;
    press(static_cast<ImGuiKey>(ImGuiKey_0 + number));
    EXPECT_EQ(now(), static_cast<std::uint32_t>(number) * last() / 12 + 7) << number;
  }
  variant().selection.event = 0;
  click("bookmark 4");
  EXPECT_EQ(now(), 4 * last() / 12 + 7);
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Transport");
    ctx.ItemClick("bookmark 4", ImGuiMouseButton_Right);
  });
  EXPECT_FALSE(variant().marks.bookmarks[4].has_value());
  variant().selection.event = 3;
  press(ImGuiKey_4);
  EXPECT_EQ(now(), 3U);
}

TEST_F(TimeTest, ABookmarkSaysWhereItIs) {
  variant().selection.event = timeline().step_begin[2];
  set_bookmark(state(), 5);
  bool shown = false;
  for (const TextAudit::Text& text : audit().texts) shown |= text.words == "5";
  EXPECT_TRUE(shown);
  const MomentWords words = describe_moment(variant(), timeline().step_begin[2]);
  const StepTiles& tiles = variant().prepared->tiling->by_tile;
  const std::size_t steps = timeline().step_begin.size();
  ASSERT_EQ(tiles.count + tiles.filling, steps);
  EXPECT_EQ(words.where, "Warp 0 · tile " + std::to_string(2 - tiles.filling) + " of 0…" +
                             std::to_string(tiles.count - 1))
      << "named as the stages of the ring name it";
  EXPECT_EQ(words.what.find('_'), std::string::npos);
  EXPECT_NE(words.meaning.find("Instruction "), std::string::npos);
}

TEST_F(TimeTest, BookmarksKeepTheirStepWhenAParameterChanges) {
  variant().selection.event = timeline().step_begin[2];
  set_bookmark(state(), 1);
  workbench_->set_parameter("STAGES", variant().parameters.at("STAGES") == 2 ? 3 : 2);
  settle();
  ASSERT_TRUE(variant().marks.bookmarks[1].has_value());
  EXPECT_EQ(timeline().step_at(*variant().marks.bookmarks[1]), 2U);
}

TEST_F(TimeTest, AScriptStepsLoopsAndBookmarks) {
  run_script("event 0\nphase 2\nbookmark set 3\nphase -1\n");
  EXPECT_EQ(now(), way().phases_on(0, 1));
  run_script("bookmark go 3\nloop 10 20\n");
  EXPECT_EQ(now(), way().phases_on(0, 2));
  EXPECT_EQ(variant().marks.loop_out, 20U);
  run_script("loop off\nbookmark remove 3\n");
  EXPECT_FALSE(variant().marks.loops());
  EXPECT_FALSE(variant().marks.bookmarks[3].has_value());
}

}  // namespace
}  // namespace tilescope
