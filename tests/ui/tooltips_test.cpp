// Every control says what it does, to the pointer and to the keys.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "ui/panels/panels.h"
#include "ui/state/actions.h"
#include "ui/state/time_control.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

// A picture's and a chart's marks explain themselves, a slider its ticks, the time its moments.
constexpr std::array kOfManyParts = {"picture",   "track",          "time",
                                     "live plot", "over parameter", "over size"};

class Tooltips : public UiTest {
 protected:
  // Adds to what was found silent what is in this picture.
  void look() {
    draw_frames(3);
    for (const TextAudit::Control& control : audit().controls) {
      ++seen_;
      const bool exempt = std::ranges::find(kOfManyParts, control.id) != kOfManyParts.end();
      if (!control.explained && !exempt) silent_.insert(control.id);
    }
  }
  [[nodiscard]] std::string silent() const {
    std::string all;
    for (const std::string& id : silent_) all += id + "\n";
    return all;
  }
  int seen_ = 0;
  std::set<std::string> silent_;
};

TEST_F(Tooltips, EveryControlOfEveryPanelSaysWhatItDoes) {
  for (const auto& [width, height] : {std::pair{1920, 1080}, std::pair{1280, 720}}) {
    open(width, height, Theme::kDark);
    settle();
    for (const Panel& panel : all_panels()) {
      state().panel_open[panel.title] = true;
      state().focus_panel = panel.title;
      if (panel.view) state().raise = panel.view;
      look();
    }
  }
  workbench_->add_variant();
  state().editing = true;
  set_bookmark(state(), 3);
  set_loop_in(state(), 4);
  set_loop_out(state(), 9);
  look();
  open_picture_export(state());
  look();
  state().picture_export.file = "x.gif";
  look();
  state().picture_export.open = false;
  state().session.notices().push_back({"A line that a cross takes away.", false, false});
  ASSERT_TRUE(workbench_->open_text("__global__ void k(float* p) { p[threadIdx.x] = 1; }\n").ok());
  settle();
  look();
  workbench_->edit_source("__global__ void k(float* p) { p[threadIdx.x] = nowhere; }\n");
  settle();
  look();
  EXPECT_GT(seen_, 500);
  EXPECT_EQ(silent(), "");
}

// The tip that is shown; nullptr: none.
const ImGuiWindow* tooltip() {
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (window->Active && (window->Flags & ImGuiWindowFlags_Tooltip) != 0) return window;
  }
  return nullptr;
}

bool is_inside(const ImGuiWindow& tip) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  return tip.Pos.x >= 0 && tip.Pos.y >= 0 && tip.Pos.x + tip.Size.x <= screen.x &&
         tip.Pos.y + tip.Size.y <= screen.y;
}

// It would cover the results, what was clicked, or a dialog.
TEST_F(Tooltips, AClickOrAKeySilencesThemUntilThePointerGoesElsewhere) {
  open(1280, 720, Theme::kDark);
  settle();
  act([](ImGuiTestContext& ctx) {
    ctx.MouseMove("//top bar/search");
    ctx.Yield(2);
    EXPECT_NE(tooltip(), nullptr);
    ctx.MouseClick();
    ctx.Yield(3);
    EXPECT_EQ(tooltip(), nullptr) << "the search box is in use";
    ctx.KeyChars("tiled");
    ctx.Yield(3);
    EXPECT_EQ(tooltip(), nullptr);
    ctx.KeyPress(ImGuiKey_Escape);
    ctx.Yield(3);
    EXPECT_EQ(tooltip(), nullptr) << "the focus came back, no key moved it there";
    ctx.MouseMove("//top bar/export");
    ctx.Yield(2);
    ASSERT_NE(tooltip(), nullptr);
    EXPECT_TRUE(is_inside(*tooltip()));
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_D);
    ctx.Yield(3);
    EXPECT_EQ(tooltip(), nullptr);
    ctx.MouseMove("//top bar/help");
    ctx.Yield(2);
    ASSERT_NE(tooltip(), nullptr);
    EXPECT_TRUE(is_inside(*tooltip()));
  });
}

// Who has no pointer is told the same.
TEST_F(Tooltips, TheKeysShowWhatThePointerShows) {
  settle();
  ASSERT_EQ(tooltip(), nullptr) << "nothing is pointed at";
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("top bar");
    ctx.NavMoveTo("lecture");
  });
  draw_frames(2);
  ASSERT_NE(tooltip(), nullptr);
  EXPECT_GT(tooltip()->Pos.y, 30) << "below the button";
  EXPECT_GT(tooltip()->Pos.x, 1000);
  EXPECT_TRUE(is_inside(*tooltip()));
}

}  // namespace
}  // namespace tilescope
