// Exercises in the window: the source there and the person's file are one, it is checked as it
// changes, and what the person had open comes back.
#include <imgui.h>
#include <imgui_te_context.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "temporary_folder.h"
#include "ui/state/practice.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

class ExerciseWindow : public UiTest {
 protected:
  void SetUp() override {
    if (const char* before = std::getenv("XDG_DATA_HOME")) data_home_ = before;
    ::setenv("XDG_DATA_HOME", home_.path().c_str(), 1);
    open(1280, 720, Theme::kLight);
  }
  void TearDown() override {
    UiTest::TearDown();
    ::setenv("XDG_DATA_HOME", data_home_.c_str(), 1);
  }
  [[nodiscard]] const Practice& practice() { return state().practice; }
  // Until the text as it is now was checked.
  void wait_for_check() {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(60);
    const double from = state().now + 1;
    do {
      draw_frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ASSERT_LT(Clock::now(), end);
    } while (state().now < from || practice().checking() || practice().result() == nullptr);
    settle();
  }
  [[nodiscard]] bool shows(const std::string& words) {
    std::string all;
    for (const TextAudit::Text& text : audit().texts) all += text.words + " ";
    return all.find(words) != std::string::npos;
  }
  static std::string padded(std::string text) {
    text.replace(text.find("tile[32][32]"), 12, "tile[32][33]");
    return text;
  }

  testing::TemporaryFolder home_;
  std::string data_home_;
};

TEST_F(ExerciseWindow, IsCheckedAsItsSourceChangesHereOrElsewhere) {
  settle();
  const std::string kernel = variant().entry->id;
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_L); });
  settle();
  EXPECT_TRUE(shows("Exercises"));
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_RightArrow); });
  settle();
  EXPECT_TRUE(shows("not begun"));
  ASSERT_TRUE(state().practice.open(state(), "padded_tile"));
  wait_for_check();
  ASSERT_NE(practice().result(), nullptr);
  EXPECT_FALSE(practice().result()->passes());
  EXPECT_EQ(state().view, View::kBanks) << "it opens at what fails";
  EXPECT_NE(variant().selection.line, 0U);
  EXPECT_TRUE(shows("32, must be 1"));
  EXPECT_TRUE(shows("Skip"));

  EXPECT_FALSE(shows("HINT 1"));
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//exercise/hint"); });
  settle();
  EXPECT_TRUE(shows("HINT 1"));

  const std::string start = testing::read_file(practice().file());
  workbench_->edit_source(padded(start));
  wait_for_check();
  EXPECT_TRUE(practice().result()->passes());
  EXPECT_EQ(testing::read_file(practice().file()), padded(start)) << "what is typed is saved";
  EXPECT_TRUE(shows("Next"));

  const std::string name = "tilescope/exercises/" + practice().exercise()->place.string();
  home_.write(name, start);  // by another editor
  wait_for_check();
  EXPECT_EQ(variant().shown_source(), start);
  EXPECT_FALSE(practice().result()->passes());

  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_Escape); });
  settle();
  EXPECT_EQ(practice().exercise(), nullptr);
  ASSERT_NE(variant().entry, nullptr);
  EXPECT_EQ(variant().entry->id, kernel) << "what was open comes back";
}

TEST_F(ExerciseWindow, LeadsToItsLessonAndToTheNextOne) {
  settle();
  ASSERT_TRUE(state().practice.open(state(), "one_for_each"));
  wait_for_check();
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//exercise/next exercise"); });
  wait_for_check();
  ASSERT_NE(practice().exercise(), nullptr);
  EXPECT_EQ(practice().exercise()->name, "past_the_end");
  EXPECT_TRUE(shows("writes out[1000]")) << "the ragged size fails";
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//exercise/its lesson"); });
  settle();
  EXPECT_EQ(practice().exercise(), nullptr);
  ASSERT_NE(state().learn.lesson(), nullptr);
  EXPECT_EQ(state().learn.lesson()->name, "warps_lanes_sectors");
  EXPECT_FALSE(state().practice.open(state(), "no such"));
}

}  // namespace
}  // namespace tilescope
