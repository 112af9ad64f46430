// CUDA, PTX and SASS side by side.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <array>

#include "scene/pages/source_page.h"
#include "ui/panels/source_panel.h"
#include "ui/state/actions.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

constexpr std::array kLanguages{SourceLanguage::kCuda, SourceLanguage::kPtx,
                                SourceLanguage::kMachine};

class SourceColumnsTest : public UiTest {
 protected:
  void show(const char* kernel) {
    workbench_->choose_kernel(entry(kernel));
    for (const char* name : {"M", "N", "K"}) workbench_->set_extent(name, 128);
    settle();
    if (variant().study->issued == nullptr) GTEST_SKIP() << variant().study->why_not_issued;
    act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_B); });
    draw_frames(4);
  }
  // Of the text, the first line that the kernel's line is, or is made into; 0: none.
  std::uint32_t own_line(SourceLanguage language, std::uint32_t line) {
    if (language == SourceLanguage::kCuda) return line;
    const StudyDigest& digest = state().digest;
    const auto& origins =
        language == SourceLanguage::kPtx ? digest.ptx_origin : digest.machine_origin;
    const auto found = std::ranges::find(origins, line);
    return found == origins.end() ? 0 : static_cast<std::uint32_t>(found - origins.begin()) + 1;
  }
  Point place_of(SourceLanguage language, std::uint32_t line) {
    return state().editor.place_of(language, own_line(language, line));
  }
  static bool is_shown(Point place) {
    const ImGuiWindow* window = ImGui::FindWindowByName("Source");
    return window->Rect().Contains({place.x, place.y}) && place.y > window->Pos.y + 60;
  }
  // Any of the places that come from the kernel's line.
  bool in_sight(SourceLanguage language, std::uint32_t line) {
    if (language == SourceLanguage::kCuda) return is_shown(place_of(language, line));
    return std::ranges::any_of(runs(language, line), [&](const LineRun& run) {
      return is_shown(state().editor.place_of(language, run.first));
    });
  }
  std::vector<LineRun> runs(SourceLanguage language, std::uint32_t line) {
    const StudyDigest& digest = state().digest;
    return runs_of(language == SourceLanguage::kPtx ? digest.ptx_origin : digest.machine_origin,
                   line);
  }
  bool place_in_sight(SourceLanguage language, std::uint32_t line, std::size_t place) {
    return is_shown(state().editor.place_of(language, runs(language, line)[place].first));
  }
  // A line with several places in the machine code, the last far below the first.
  std::uint32_t parted_line() {
    for (std::uint32_t line = 1; line < 1000; ++line) {
      const auto places = runs(SourceLanguage::kMachine, line);
      if (places.size() > 2 && places.back().first > places.front().last + 100) return line;
    }
    return 0;
  }
  static bool is_in_front(const char* title) {
    const ImGuiWindow* window = ImGui::FindWindowByName(title);
    return window != nullptr && window->DockTabIsVisible;
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
    const auto& lines = state().digest.lines;
    const auto found = std::ranges::find_if(lines, [](const LineCounters& line) {
      return line.access == AccessKind::kStore && line.space == MemorySpace::kGlobal;
    });
    return found == lines.end() ? 0 : found->line.line;
  }
};

TEST_F(SourceColumnsTest, AsManyStandBesideOneAnotherAsThereIsRoomFor) {
  show("gemm/register_tile");
  EXPECT_TRUE(state().source_beside);
  const auto shown = [&](float width) {
    std::vector<SourceLanguage> languages;
    for (const SourceText& text : shown_texts(state(), variant(), width)) {
      languages.push_back(text.language);
    }
    return languages;
  };
  using Languages = std::vector<SourceLanguage>;
  using enum SourceLanguage;
  EXPECT_EQ(shown(1600), (Languages{kCuda, kPtx, kMachine}));
  EXPECT_EQ(shown(1000), (Languages{kCuda, kPtx}));
  state().source_tab = kMachine;
  EXPECT_EQ(shown(1000), (Languages{kCuda, kMachine}));
  EXPECT_EQ(shown(440), (Languages{kMachine}));
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//Source/beside"); });
  EXPECT_EQ(shown(1600), (Languages{kMachine})) << "one text again";
}

// The arrangement changes where the window becomes compact: also twice before its tabs were drawn.
TEST_F(SourceColumnsTest, TheViewInFrontStaysThereWhenTheWindowBecomesCompactAndBack) {
  show("gemm/register_tile");
  state().raise = View::kTiling;
  draw_frames(4);
  ASSERT_TRUE(is_in_front("Tiling"));
  for (const int frames : {1, 2, 6}) {
    for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1920, 1080}}) {
      platform_->resize(width, height);
      draw_frames(frames);
    }
    for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1920, 1080}}) {
      platform_->resize(width, height);
      draw_frames(6);
      EXPECT_TRUE(is_in_front("Tiling")) << width << " after " << frames;
      EXPECT_FALSE(is_in_front("Source")) << width << " after " << frames;
    }
  }
}

TEST_F(SourceColumnsTest, SoDoesTheTuner) {
  choose("transpose/tiled", 64);
  state().focus_panel = "Tuner";
  draw_frames(4);
  ASSERT_TRUE(is_in_front("Tuner"));
  for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1920, 1080}}) {
    platform_->resize(width, height);
    draw_frames(6);
    EXPECT_TRUE(is_in_front("Tuner")) << width;
  }
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
      return line != far && is_shown(place_of(from, line)) &&
             own_line(SourceLanguage::kPtx, line) != 0 &&
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

// What the compiler made of a line it may have put in many places.
TEST_F(SourceColumnsTest, OfSeveralPlacesTheNearestIsBroughtInSight) {
  show("gemm/register_tile");
  constexpr SourceLanguage kIn = SourceLanguage::kMachine;
  const std::uint32_t line = parted_line();
  ASSERT_NE(line, 0U);
  const std::size_t last = runs(kIn, line).size() - 1;
  variant().selection.line = line;
  draw_frames(4);
  EXPECT_EQ(state().editor.places_of(kIn).count, last + 1);
  state().editor.step_places(kIn, static_cast<int>(last - state().editor.places_of(kIn).meant));
  draw_frames(4);
  EXPECT_EQ(state().editor.places_of(kIn).meant, last);
  EXPECT_TRUE(place_in_sight(kIn, line, last));
  EXPECT_FALSE(place_in_sight(kIn, line, 0));
  // The line beside it, and back: nothing goes to the top.
  variant().selection.line = state().digest.machine_origin[runs(kIn, line)[last].first - 2];
  ASSERT_NE(variant().selection.line, line);
  draw_frames(4);
  variant().selection.line = line;
  draw_frames(4);
  EXPECT_FALSE(place_in_sight(kIn, line, 0));
  EXPECT_TRUE(place_in_sight(kIn, line, state().editor.places_of(kIn).meant));
}

TEST_F(SourceColumnsTest, ButtonsAndKeysGoFromPlaceToPlace) {
  show("gemm/register_tile");
  constexpr SourceLanguage kIn = SourceLanguage::kMachine;
  const std::uint32_t line = parted_line();
  ASSERT_NE(line, 0U);
  variant().selection.line = line;
  draw_frames(4);
  const auto [from, count] = state().editor.places_of(kIn);
  const std::string words = " of " + std::to_string(count) + " places";
  EXPECT_TRUE(std::ranges::any_of(audit().texts, [&](const TextAudit::Text& text) {
    return text.words == std::to_string(from + 1) + words && !text.cut;
  }));
  for (std::size_t i = 1; i <= count; ++i) {
    const bool by_key = i % 2 == 0;
    act([&](ImGuiTestContext& ctx) {
      if (by_key) ctx.KeyPress(ImGuiKey_N);
      if (!by_key) ctx.ItemClick("//Source/SASS next place");
      ctx.Yield(3);
    });
    EXPECT_EQ(state().editor.places_of(kIn).meant, (from + i) % count) << "round and round";
    EXPECT_TRUE(place_in_sight(kIn, line, (from + i) % count));
  }
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//Source/SASS place before"); });
  draw_frames(2);
  EXPECT_EQ(state().editor.places_of(kIn).meant, (from + count - 1) % count);
  EXPECT_EQ(state().editor.places_of(SourceLanguage::kCuda).count, 0U) << "one place: it is there";
}

// As the executed instruction stands in one of them, that one is meant.
TEST_F(SourceColumnsTest, ThePlaceThatIsExecutedComesFirst) {
  show("gemm/register_tile");
  constexpr SourceLanguage kIn = SourceLanguage::kPtx;
  const auto& instructions = variant().study->program->instructions();
  const auto& events = variant().study->trace->events;
  for (std::uint32_t e = 0; e < events.size(); ++e) {
    const StaticInstruction& now = instructions[events[e].instruction];
    const auto places = runs(kIn, now.outermost.line);
    if (events[e].warp != variant().selection.warp || places.size() < 3 ||
        !places.back().has(now.ptx_line)) {
      continue;
    }
    variant().selection.event = e;
    variant().selection.line = now.outermost.line;
    draw_frames(4);
    EXPECT_EQ(state().editor.places_of(kIn).meant, places.size() - 1);
    EXPECT_TRUE(is_shown(state().editor.place_of(kIn, now.ptx_line)));
    return;
  }
  FAIL() << "no line with several places is executed in its last";
}

TEST_F(SourceColumnsTest, AnotherSizeKeepsTheTabInFront) {
  show("gemm/shared_tile");
  const auto cross = [&](const char* front) {
    for (const bool compact : {true, false}) {
      state().preferences.text_scale = compact ? 1.4F : 1.0F;  // as a smaller window does
      draw_frames(4);
      EXPECT_EQ(state().layout, compact ? "compact source" : "wide source");
      for (const char* title : {"Source", "Banks", "Tiling", "Counters"}) {
        EXPECT_EQ(is_in_front(title), std::string_view(title) == front) << front << " " << title;
      }
    }
  };
  cross("Source");
  state().raise = View::kBanks;
  draw_frames(4);
  cross("Banks");
  state().focus_panel = "Counters";
  draw_frames(4);
  cross("Counters");
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
    EXPECT_EQ(state().hovered_line, line) << static_cast<int>(language);
  }
}

TEST_F(SourceColumnsTest, NothingIsCutAtEitherSize) {
  for (const auto& [width, height] : {std::pair{1920, 1080}, {1280, 720}}) {
    open(width, height, Theme::kLight);
    show("gemm/register_tile");
    EXPECT_EQ(state().compact, width == 1280);
    const ImGuiWindow* window = ImGui::FindWindowByName("Source");
    ASSERT_NE(window, nullptr);
    EXPECT_TRUE(window->DockTabIsVisible) << "in front of the views";
    EXPECT_GT(window->Size.x, width == 1280 ? 900 : 1500);
    for (const TextAudit::Text& text : audit().texts) {
      const Rect& at = text.screen;
      const bool inside = window->Rect().Contains(ImVec2(at.x, at.y));
      EXPECT_FALSE(inside && text.cut) << text.words << " at " << width;
    }
    set_side_by_side(state(), false);
    draw_frames(4);
    EXPECT_EQ(state().layout, width == 1280 ? "compact" : "wide");
    EXPECT_EQ(state().view, View::kTiling);
  }
}

}  // namespace
}  // namespace tilescope
