// The marks of pictures, reached with keys alone.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>

#include <set>

#include "ui_fixture.h"

namespace tilescope {
namespace {

class Marks : public UiTest {
 protected:
  void show(const char* kernel, View view) {
    workbench_->choose_kernel(entry(kernel));
    settle();
    state().raise = view;
    settle();
  }
  void press(ImGuiKeyChord chord) {
    ImGuiIO& io = ImGui::GetIO();
    const auto key = static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_);
    const bool shift = (chord & ImGuiMod_Shift) != 0;
    if (shift) io.AddKeyEvent(ImGuiMod_Shift, true);
    io.AddKeyEvent(key, true);
    draw_frame();
    io.AddKeyEvent(key, false);
    if (shift) io.AddKeyEvent(ImGuiMod_Shift, false);
    draw_frame();
  }
  [[nodiscard]] const Hit& mark() { return state().mark_focus.hit; }
  [[nodiscard]] bool on_a_mark() { return state().mark_focus.view.has_value(); }
};

TEST_F(Marks, TabGoesFromMarkToMarkAndShowsTheTooltip) {
  show("transpose/tiled", View::kCoalescing);
  EXPECT_FALSE(on_a_mark());
  std::set<std::string> seen;
  for (int i = 0; i < 12; ++i) {
    press(ImGuiKey_Tab);
    ASSERT_TRUE(on_a_mark());
    EXPECT_FALSE(mark().tooltip.empty());
    seen.insert(mark().tooltip);
    const ImGuiWindow* tooltip = ImGui::FindWindowByName("##Tooltip_00");
    ASSERT_NE(tooltip, nullptr);
    EXPECT_TRUE(tooltip->Active);
  }
  EXPECT_GT(seen.size(), 8U);
  const std::size_t place = state().mark_focus.place;
  press(ImGuiKey_Tab);
  EXPECT_EQ(state().mark_focus.place, place + 1);
  press(ImGuiMod_Shift | ImGuiKey_Tab);
  EXPECT_EQ(state().mark_focus.place, place);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(on_a_mark());
}

TEST_F(Marks, TheOneAfterTheLastIsTheFirst) {
  show("transpose/tiled", View::kOccupancy);
  press(ImGuiMod_Shift | ImGuiKey_Tab);
  ASSERT_TRUE(on_a_mark());
  const std::size_t last = state().mark_focus.place;
  EXPECT_GT(last, 5U);
  press(ImGuiKey_Tab);
  EXPECT_EQ(state().mark_focus.place, 0U);
}

TEST_F(Marks, EnterDoesWhatAClickDoes) {
  show("transpose/tiled", View::kCoalescing);
  for (int i = 0; i < 60 && !(mark().kind == HitKind::kLane && mark().value == 7); ++i) {
    press(ImGuiKey_Tab);
  }
  ASSERT_EQ(mark().kind, HitKind::kLane);
  ASSERT_NE(variant().selection.lane, 7);
  press(ImGuiKey_Enter);
  EXPECT_EQ(variant().selection.lane, 7);
  EXPECT_EQ(mark().value, 7);  // where it was

  show("transpose/tiled", View::kBanks);
  for (int i = 0; i < 20 && mark().kind != HitKind::kParameter; ++i) {
    press(ImGuiMod_Shift | ImGuiKey_Tab);  // the last rows first
  }
  ASSERT_EQ(mark().kind, HitKind::kParameter);
  const Hit chosen = mark();
  press(ImGuiKey_Enter);
  EXPECT_EQ(variant().parameters.at(chosen.name), chosen.value);
}

TEST_F(Marks, OneLayoutSetsTheParametersThatKeepTheRulesTogether) {
  show("gemm/tensor_core", View::kBanks);
  ASSERT_NE(state().facts.shown().layouts, nullptr);
  EXPECT_TRUE(state().facts.shown().layouts->belong_to(*variant().study));
  for (int i = 0; i < 20 && mark().kind != HitKind::kParameters; ++i) {
    press(ImGuiMod_Shift | ImGuiKey_Tab);
  }
  ASSERT_EQ(mark().kind, HitKind::kParameters);
  press(ImGuiKey_Enter);
  EXPECT_EQ(variant().parameters.at("PAD"), 8);
  EXPECT_EQ(variant().parameters.at("SWIZZLE"), 0);
  EXPECT_TRUE(variant().violations.empty());
  settle();
  EXPECT_TRUE(
      state().facts.shown().layouts->belong_to(*variant().study));  // no need to count again
}

TEST_F(Marks, ThePointerTakesOver) {
  show("transpose/tiled", View::kCoalescing);
  press(ImGuiKey_Tab);
  ASSERT_TRUE(on_a_mark());
  act([](ImGuiTestContext& ctx) { ctx.MouseMoveToPos({800, 400}); });
  EXPECT_FALSE(on_a_mark());
}

}  // namespace
}  // namespace tilescope
