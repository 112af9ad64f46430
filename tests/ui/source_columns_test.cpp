// CUDA, PTX and SASS side by side.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <array>

#include "ui/actions.h"
#include "ui/panels/source_texts.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

constexpr std::array kLanguages{SourceLanguage::kCuda, SourceLanguage::kPtx,
                                SourceLanguage::kMachine};

class SourceColumnsTest : public UiTest {
 protected:
  void show(const char* kernel) {
    bench_->choose_kernel(entry(kernel));
    for (const char* name : {"M", "N", "K"}) bench_->set_extent(name, 128);
    settle();
    if (variant().study->issued == nullptr) GTEST_SKIP() << variant().study->why_not_issued;
    act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_B); });
    draw_frames(4);
  }
  // Of the text, the first line that the kernel's line is, or is made into; 0: none.
  std::uint32_t own_line(SourceLanguage language, std::uint32_t line) {
    if (language == SourceLanguage::kCuda) return line;
    const StudyDigest& digest = desk().digest;
    const auto& origins =
        language == SourceLanguage::kPtx ? digest.ptx_origin : digest.machine_origin;
    const auto found = std::ranges::find(origins, line);
    return found == origins.end() ? 0 : static_cast<std::uint32_t>(found - origins.begin()) + 1;
  }
  Point place_of(SourceLanguage language, std::uint32_t line) {
    return desk().editor.place_of(language, own_line(language, line));
  }
  bool in_sight(SourceLanguage language, std::uint32_t line) {
    const ImGuiWindow* window = ImGui::FindWindowByName("Source");
    const Point place = place_of(language, line);
    return own_line(language, line) != 0 && window->Rect().Contains({place.x, place.y}) &&
           place.y > window->Pos.y + 60;
  }
  void click(Point place) {
    act([&](ImGuiTestContext& ctx) {
      ctx.MouseMoveToPos({place.x + 2, place.y - 8});
      ctx.MouseClick();
      ctx.Yield(4);
    });
  }
  // The last line of the kernel that stores to global memory: far from where time stands first.
  std::uint32_t storing_line() {
    const auto& lines = desk().digest.lines;
    const auto found = std::ranges::find_if(lines, [](const LineCounters& line) {
      return line.access == AccessKind::kStore && line.space == MemorySpace::kGlobal;
    });
    return found == lines.end() ? 0 : found->line.line;
  }
};

TEST_F(SourceColumnsTest, AsManyStandBesideOneAnotherAsThereIsRoomFor) {
  show("gemm/register_tile");
  EXPECT_TRUE(desk().source_beside);
  const auto shown = [&](float width) {
    std::vector<SourceLanguage> languages;
    for (const SourceText& text : shown_texts(desk(), variant(), width)) {
      languages.push_back(text.language);
    }
    return languages;
  };
  using Languages = std::vector<SourceLanguage>;
  using enum SourceLanguage;
  EXPECT_EQ(shown(1600), (Languages{kCuda, kPtx, kMachine}));
  EXPECT_EQ(shown(1000), (Languages{kCuda, kPtx}));
  desk().source_tab = kMachine;
  EXPECT_EQ(shown(1000), (Languages{kCuda, kMachine}));
  EXPECT_EQ(shown(440), (Languages{kMachine}));
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//Source/beside"); });
  EXPECT_EQ(shown(1600), (Languages{kMachine})) << "one text again";
}

TEST_F(SourceColumnsTest, WhatIsChosenIsBroughtInSightInAll) {
  show("gemm/register_tile");
  const std::uint32_t line = storing_line();
  ASSERT_NE(line, 0U);
  for (const SourceLanguage in : {SourceLanguage::kPtx, SourceLanguage::kMachine}) {
    EXPECT_FALSE(in_sight(in, line)) << "time stands elsewhere";
  }
  variant().selection.line = line;
  draw_frames(4);
  for (const SourceLanguage in : kLanguages) {
    EXPECT_TRUE(in_sight(in, line)) << static_cast<int>(in);
  }
}

TEST_F(SourceColumnsTest, AClickInOneChoosesTheKernelsLineAndMovesTheOthersAlone) {
  show("gemm/register_tile");
  const std::uint32_t far = storing_line();
  ASSERT_NE(far, 0U);
  for (const SourceLanguage from : kLanguages) {
    variant().selection.line = far;
    draw_frames(4);
    // Some line that has a part in all three, and in sight there.
    std::uint32_t line = 1;
    const auto fits = [&] {
      return line != far && in_sight(from, line) && own_line(SourceLanguage::kPtx, line) != 0 &&
             own_line(SourceLanguage::kMachine, line) != 0;
    };
    while (line < 1000 && !fits()) ++line;
    ASSERT_LT(line, 1000U) << static_cast<int>(from);
    const Point before = place_of(from, line);
    click(before);
    EXPECT_EQ(variant().selection.line, line) << static_cast<int>(from);
    EXPECT_EQ(place_of(from, line).y, before.y) << "what is clicked stays where it is";
    for (const SourceLanguage in : kLanguages) {
      EXPECT_TRUE(in_sight(in, line)) << static_cast<int>(from) << static_cast<int>(in);
    }
  }
}

TEST_F(SourceColumnsTest, ALineUnderThePointerIsTheKernelsInEachOfThem) {
  show("gemm/shared_tile");
  const std::uint32_t line = storing_line();
  ASSERT_NE(line, 0U);
  variant().selection.line = line;
  draw_frames(4);
  for (const SourceLanguage language : kLanguages) {
    const Point place = place_of(language, line);
    act([&](ImGuiTestContext& ctx) {
      ctx.MouseMoveToPos({place.x + 2, place.y - 8});
      ctx.Yield(3);
    });
    EXPECT_EQ(desk().hovered_line, line) << static_cast<int>(language);
  }
}

TEST_F(SourceColumnsTest, NothingIsCutAtEitherSize) {
  for (const auto& [width, height] : {std::pair{1920, 1080}, {1280, 720}}) {
    open(width, height, Theme::kLight);
    show("gemm/register_tile");
    EXPECT_EQ(desk().compact, width == 1280);
    const ImGuiWindow* window = ImGui::FindWindowByName("Source");
    ASSERT_NE(window, nullptr);
    EXPECT_TRUE(window->DockTabIsVisible) << "in front of the views";
    EXPECT_GT(window->Size.x, width == 1280 ? 900 : 1500);
    for (const TextAudit::Text& text : audit().texts) {
      const Rect& at = text.screen;
      const bool inside = window->Rect().Contains(ImVec2(at.x, at.y));
      EXPECT_FALSE(inside && text.cut) << text.words << " at " << width;
    }
    set_side_by_side(desk(), false);
    draw_frames(4);
    EXPECT_EQ(desk().layout, width == 1280 ? "compact" : "wide");
    EXPECT_EQ(desk().view, View::kTiling);
  }
}

}  // namespace
}  // namespace tilescope
