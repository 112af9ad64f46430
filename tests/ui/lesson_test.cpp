// Lessons in the window: driven by the keyboard alone, and what the person had comes back.
#include <imgui.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scene/views.h"
#include "session/undo.h"
#include "ui/dialogs/learn_page.h"
#include "ui/drawing/fonts.h"
#include "ui/state/actions.h"
#include "ui/state/session.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

class LessonWindow : public UiTest {
 protected:
  void press(int chord) {
    act([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); });
    settle();
  }
  [[nodiscard]] std::string screen_text() {
    std::string all;
    for (const TextAudit::Text& text : audit().texts) all += text.words + " ";
    return all;
  }
  [[nodiscard]] bool shows(const std::string& words) {
    return screen_text().find(words) != std::string::npos;
  }
  [[nodiscard]] Document document() { return document_of(state(), {}); }
  // The document, and where the panels stand.
  struct Whole {
    Document document;
    std::string layout;
  };
  [[nodiscard]] Whole whole() { return {document(), *layout_text_of()}; }
  static std::string words_of(const Arrangement& arrangement) {
    return arrangement.layout + " " + arrangement.focused_parameter + " " + arrangement.family +
           " " + arrangement.source + " " + std::to_string(arrangement.source_line);
  }
  void expect_same(const Whole& before) {
    const Whole after = whole();
    EXPECT_TRUE(after.document == before.document)
        << (same_content(after.document, before.document)
                ? "the arrangement: " + words_of(before.document.arrangement) + " became " +
                      words_of(after.document.arrangement)
                : change_between(before.document, after.document).name);
    EXPECT_EQ(after.layout, before.layout);
  }
  [[nodiscard]] const Learn& learn() { return state().learn; }
  [[nodiscard]] std::string line_shown() {
    const std::string& source = variant().shown_source();
    std::size_t at = 0;
    for (std::uint32_t line = 1; line < variant().selection.line; ++line) {
      at = source.find('\n', at) + 1;
    }
    return source.substr(at, source.find('\n', at) - at);
  }
};

// What may come next is computed ahead, as in the program itself.
class LessonAhead : public LessonWindow {
 protected:
  [[nodiscard]] Workbench::Settings settings() const override { return {.ahead_threads = 0}; }
};

// What is taken over from the window and what is computed for later never change places.
TEST_F(LessonAhead, WhatIsReadyIsTheLaunchThatWasAskedFor) {
  choose("copy/plain", 64);
  std::vector<Workbench::Next> wanted;
  for (std::int64_t size = 64; size <= 64 * 40; size += 64) {
    VariantDocument document = document_of(variant());
    for (auto& [name, value] : document.extents) value = size;
    wanted.push_back({document, View::kTiling});
  }
  workbench_->make_ready(wanted);
  settle();
  std::size_t ready = 0;
  for (const Workbench::Next& next : wanted) {
    const Variant* found = workbench_->ready(next.variant);
    if (found == nullptr) continue;
    ++ready;
    EXPECT_EQ(found->study->instance.extents, next.variant.extents);
  }
  EXPECT_GT(ready, 30U);
}

TEST_F(LessonAhead, TheTransposeLessonGoesByTheKeyboardAlone) {
  settle();
  const Whole before = whole();
  press(ImGuiMod_Ctrl | ImGuiKey_L);
  EXPECT_EQ(learn().page(), Learn::Page::kLessons);
  EXPECT_TRUE(shows("A transpose, step by step"));
  press(ImGuiKey_DownArrow);
  press(ImGuiKey_Enter);
  ASSERT_NE(learn().lesson(), nullptr);
  EXPECT_EQ(learn().lesson()->name, "transpose");
  const std::size_t steps = learn().lesson()->steps.size();
  std::vector<std::string> kernels;
  for (std::size_t i = 0; i < steps; ++i) {
    ASSERT_EQ(learn().step_index(), i);
    const LessonStep& step = learn().step();
    EXPECT_TRUE(shows("step " + std::to_string(i + 1) + " of " + std::to_string(steps)));
    if (learn().asks() && !step.question->choices.empty()) {
      EXPECT_TRUE(shows(step.question->is_trial ? "YOUR TURN" : "YOUR PREDICTION"));
      EXPECT_EQ(shows("The picture comes with your answer."), !step.question->is_trial);
      const auto right =
          std::ranges::find_if(step.question->choices, &LessonQuestion::Choice::right);
      press(ImGuiKey_1 + static_cast<int>(right - step.question->choices.begin()));
      ASSERT_NE(learn().answer(), nullptr);
      EXPECT_TRUE(learn().answer()->right);
    } else if (learn().asks()) {
      press(ImGuiKey_PageDown);  // shows the answer
      ASSERT_EQ(learn().step_index(), i);
    }
    EXPECT_FALSE(learn().asks());
    const LessonScene& scene = *learn().scene();
    EXPECT_EQ(name_of(state().view), scene.view);
    if (!scene.source_line.empty()) {
      EXPECT_NE(line_shown().find(scene.source_line), std::string::npos) << step.title;
    }
    kernels.push_back(variant().entry->id);
    EXPECT_TRUE(state().learn.broken_claims().empty()) << step.title;
    EXPECT_FALSE(shows("–")) << "every number is there in " << step.title;
    act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_PageDown); });
    EXPECT_FALSE(variant().study_pending) << "what comes behind " << step.title << " was computed";
    settle();
  }
  EXPECT_EQ(learn().lesson(), nullptr);
  EXPECT_EQ(learn().page(), Learn::Page::kLessons) << "then comes the list";
  EXPECT_TRUE(shows("done"));
  EXPECT_EQ(learn().library().lessons[state().learn.chosen_row()].name, "divergence")
      << "the next one";
  for (std::size_t i = state().learn.chosen_row(); i + 1 < learn().library().lessons.size(); ++i) {
    press(ImGuiKey_DownArrow);
  }
  EXPECT_TRUE(shows(learn().library().lessons.back().title)) << "the list goes with the keys";
  for (const char* kernel :
       {"transpose/serial", "transpose/per_row", "transpose/naive", "transpose/tiled"}) {
    EXPECT_NE(std::ranges::find(kernels, kernel), kernels.end()) << kernel;
  }
  press(ImGuiKey_Escape);
  EXPECT_EQ(learn().page(), Learn::Page::kNone);
  settle();
  expect_same(before);
}

TEST_F(LessonWindow, LeavingGivesBackExactlyWhatThePersonHad) {
  choose("gemm/shared_tile", 64);
  workbench_->set_parameter("TILE", 16);
  settle();
  workbench_->add_variant();
  choose("transpose/tiled", 64);
  variant().selection.lane = 17;
  variant().selection.line = 40;
  variant().marks.bookmarks[3] = 5;
  workbench_->edit_source(variant().source() + "// mine\n");
  settle();
  state().raise = View::kBanks;
  state().notes = "my notes";
  state().panel_open["Counters"] = false;
  state().heat_column = HeatColumn::kWavefronts;
  settle();
  const Whole before = whole();
  const std::size_t undone = state().session.history().depth();
  ASSERT_TRUE(state().learn.open(state(), "warps_lanes_sectors", 1));
  settle();
  press(ImGuiKey_F1);
  EXPECT_EQ(state().help.term, "Warp") << "the term that the step teaches";
  press(ImGuiKey_F1);
  EXPECT_TRUE(state().session.holding());
  EXPECT_EQ(workbench_->variants().size(), 1U);
  EXPECT_FALSE(variant().is_edited());
  press(ImGuiKey_PageDown);
  press(ImGuiKey_PageDown);
  press(ImGuiKey_Escape);
  EXPECT_EQ(learn().lesson(), nullptr);
  EXPECT_FALSE(state().session.holding());
  settle();
  expect_same(before);
  EXPECT_EQ(state().session.history().depth(), undone) << "a lesson is no step of undo";
}

TEST_F(LessonWindow, AnEditedKernelThatIsNotShownKeepsItsText) {
  choose("transpose/naive", 64);
  const std::string mine = variant().source() + "// mine\n";
  workbench_->edit_source(mine);
  settle();
  choose("copy/plain", 64);
  state().learn.open(state(), "divergence", 0);
  settle();
  state().learn.leave(state());
  settle();
  workbench_->choose_kernel(entry("transpose/naive"));
  settle();
  EXPECT_EQ(variant().source(), mine);
}

TEST_F(LessonWindow, AnAnswerIsAskedForBeforeItIsShown) {
  settle();
  ASSERT_TRUE(state().learn.open(state(), "warps_lanes_sectors", 2));
  settle();
  ASSERT_TRUE(learn().asks());
  EXPECT_TRUE(shows("The rest of the step comes after your answer."));
  EXPECT_FALSE(shows("efficiency"));
  press(ImGuiKey_1);
  ASSERT_NE(learn().answer(), nullptr);
  EXPECT_FALSE(learn().answer()->right);
  EXPECT_TRUE(shows("yours"));
  EXPECT_TRUE(shows("efficiency"));
  press(ImGuiKey_2);
  EXPECT_EQ(learn().answer()->choice, 0U) << "it is given once";
  press(ImGuiKey_PageUp);
  press(ImGuiKey_PageDown);
  EXPECT_FALSE(learn().asks()) << "and stays given while the lesson is open";
}

TEST_F(LessonWindow, InALectureTheChoicesAreInThePlaceOfThePicture) {
  ASSERT_TRUE(state().learn.open(state(), "camping", 4));
  state().lecture = true;
  settle();
  ASSERT_TRUE(learn().veils());
  EXPECT_TRUE(shows("It works for squares only"));
  EXPECT_FALSE(shows("The picture comes with your answer."));
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("**/choice"); });
  ASSERT_NE(learn().answer(), nullptr);
  EXPECT_EQ(learn().answer()->choice, 0U);
  EXPECT_NE(state().learn.chart(), nullptr);
  EXPECT_TRUE(shows("Answer 2: Every other kernel that uses the matrix must know of it"))
      << "which one is right";
}

// What came with the answer is in sight, and the words of the step are explained below it.
TEST_F(LessonWindow, AnAnswerIsScrolledToAndTermsAreExplained) {
  open(1280, 720, Theme::kLight);
  settle();
  state().learn.open(state(), "transpose", 3);
  settle();
  EXPECT_TRUE(shows("WORDS OF THIS STEP"));
  EXPECT_TRUE(shows("Coalesced"));
  state().preferences.text_scale = 1.4F;  // too little room for question and answer
  settle();
  EXPECT_FALSE(shows("12.5 %")) << "not before the answer";
  press(ImGuiKey_2);
  const std::vector<TextAudit::Text> texts = audit().texts;
  const auto at = std::ranges::find_if(texts, [&](const TextAudit::Text& text) {
    return text.words == "12.5 %" && text.screen.x < state().px(300);
  });
  ASSERT_NE(at, texts.end());
  EXPECT_LT(at->screen.bottom(), 720 - state().px(60)) << "above Back and Next";
  EXPECT_FALSE(at->cut);
}

TEST_F(LessonWindow, ANumberIsTypedAndJudged) {
  settle();
  ASSERT_TRUE(state().learn.open(state(), "warps_lanes_sectors", 5));
  settle();
  ASSERT_TRUE(learn().asks());
  ASSERT_TRUE(learn().step().question->number.has_value());
  state().learn.typed() = "many";
  state().learn.take_number(state());
  EXPECT_TRUE(learn().asks()) << "that is no number";
  state().learn.typed() = "8";
  state().learn.take_number(state());
  ASSERT_NE(learn().answer(), nullptr);
  EXPECT_TRUE(learn().answer()->right);
  EXPECT_TRUE(shows("8: right."));
}

TEST_F(LessonWindow, TheControlBelowTheViewTurnsItsParameter) {
  settle();
  ASSERT_TRUE(state().learn.open(state(), "warps_lanes_sectors", 5));
  settle();
  EXPECT_TRUE(shows("BLOCK_X"));
  const TextAudit texts = audit();
  EXPECT_TRUE(std::ranges::any_of(texts.controls, [](const TextAudit::Control& control) {
    return control.id == "value" && control.explained;
  }));
  workbench_->set_parameter("BLOCK_X", 8);
  settle();
  press(ImGuiKey_PageUp);
  press(ImGuiKey_PageDown);
  EXPECT_EQ(variant().parameters.at("BLOCK_X"), 32) << "a scene is as its lesson says";
}

TEST_F(LessonWindow, AnotherDocumentEndsTheLesson) {
  settle();
  state().learn.open(state(), "divergence", 0);
  settle();
  state().session.make_new(state());
  draw_frames(3);
  EXPECT_EQ(learn().lesson(), nullptr);
  EXPECT_FALSE(state().session.holding());
}

TEST_F(LessonWindow, ANewSessionIsAtTheKernelInFrontAsItShipsElseAtAnEasyOne) {
  choose("transpose/tiled", 64);
  state().raise = View::kBanks;
  settle();
  workbench_->set_parameter("PAD", 0);
  state().session.make_new(state());
  settle();
  EXPECT_EQ(variant().entry->id, "transpose/tiled");
  EXPECT_EQ(variant().parameters.at("PAD"), 1);
  EXPECT_EQ(state().view, View::kBanks);
  ASSERT_TRUE(
      workbench_->open_text("__global__ void mine(float* p) { p[threadIdx.x] = 1; }\n").ok());
  settle();
  ASSERT_TRUE(variant().own.has_value());
  state().session.make_new(state());
  settle();
  ASSERT_NE(variant().entry, nullptr);
  EXPECT_EQ(variant().entry->id, "transpose/naive");
  EXPECT_EQ(state().view, View::kCoalescing);
}

// Before its block is traced, too: the view that is in front then says where to look.
TEST_F(LessonWindow, AViewThatIsChosenAtOnceOpensAtItsWorstAccess) {
  state().raise = View::kCoalescing;
  settle();
  workbench_->choose_kernel(entry("transpose/tiled"));
  workbench_->set_parameter("PAD", 0);
  draw_frame();
  state().raise = View::kBanks;
  settle();
  EXPECT_TRUE(shows("32-way bank conflict"));
}

TEST_F(LessonWindow, ANewSessionStandsWhereThereIsMostToSeeAlsoTheSecondTime) {
  state().session.make_new(state());
  settle();
  const std::uint32_t first = variant().selection.event;
  EXPECT_GT(first, 0U);
  state().session.make_new(state());
  settle();
  EXPECT_EQ(variant().selection.event, first);
}

TEST_F(LessonWindow, SearchFindsLessonsAndTheirKeysAreTimesOwnOtherwise) {
  choose("gemm/shared_tile", 256);
  const std::uint32_t event = variant().selection.event;
  press(ImGuiKey_PageDown);
  EXPECT_NE(variant().selection.event, event) << "a loop step on";
  state().learn.open(state(), "warps_lanes_sectors", 0);
  settle();
  press(ImGuiKey_PageDown);
  EXPECT_EQ(learn().step_index(), 1U);
  press(ImGuiKey_F1);
  ASSERT_TRUE(state().help.open);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(state().help.open);
  EXPECT_NE(learn().lesson(), nullptr) << "Escape closed the help";
}

TEST_F(LessonWindow, ALessonGoesOnInAnotherLanguage) {
  settle();
  state().learn.open(state(), "transpose", 1);
  settle();
  state().learn.speak(state(), "zh");
  settle();
  ASSERT_NE(learn().lesson(), nullptr);
  EXPECT_EQ(learn().step_index(), 1U);
  if (state().fonts.has_wide_characters()) {
    EXPECT_EQ(learn().lesson()->language, "zh");
    EXPECT_TRUE(shows("第一次尝试"));
    EXPECT_TRUE(shows("第 2 步，共 10 步")) << "the window's own words follow";
    EXPECT_TRUE(shows("线程块"));
  } else {
    EXPECT_EQ(learn().lesson()->language, "");
    EXPECT_TRUE(shows("fonts-noto-cjk"));
  }
  state().learn.speak(state(), "");
  settle();
  EXPECT_EQ(learn().lesson()->language, "");
  EXPECT_EQ(learn().lesson()->title, "A transpose, step by step");
}

TEST_F(LessonWindow, AChartFollowsItsNumber) {
  settle();
  state().learn.open(state(), "scaling", 5);
  settle();
  state().learn.choose(state(), 1);
  settle();
  ASSERT_NE(state().learn.chart(), nullptr);
  EXPECT_TRUE(shows("more work, same time (weak)"));
  const double before = state().learn.chart()->curves[1].now;
  const LessonNumber& share = *learn().lesson()->number("share");
  state().learn.turn_number(state(), share, 2);
  EXPECT_EQ(learn().numbers().at("share"), 1) << "kept within its range";
  settle();
  EXPECT_GT(state().learn.chart()->curves[1].now, before);
  act([](ImGuiTestContext& ctx) {
    ctx.MouseMove("//lesson chart/chart");
    ctx.MouseDown(0);
    ctx.MouseUp(0);
  });
  settle();
  EXPECT_EQ(learn().numbers().at("processors"), 64) << "the middle of 1 to 4096";
  press(ImGuiKey_PageUp);
  press(ImGuiKey_PageDown);  // answers the question of the step before
  press(ImGuiKey_PageDown);
  ASSERT_EQ(learn().step_index(), 5U);
  EXPECT_EQ(learn().numbers().at("share"), 0.9) << "a scene is as its lesson says";
}

TEST_F(LessonWindow, EscapeClosesAMenuAndNotTheLesson) {
  settle();
  state().learn.open(state(), "warps_lanes_sectors", 0);
  settle();
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//top bar/session"); });
  settle();
  ASSERT_TRUE(state().menu_open);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(state().menu_open);
  EXPECT_NE(learn().lesson(), nullptr) << "Escape closed the menu";
  press(ImGuiKey_Escape);
  EXPECT_EQ(learn().lesson(), nullptr);
}

TEST_F(LessonWindow, HelpOpensTheLessonOfATermAtItsStep) {
  settle();
  open_help(state(), "Bank conflict");
  settle();
  EXPECT_TRUE(shows("Learn: Banks, padding and XOR, step 2"));
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//Help/**/learn term"); });
  settle();
  EXPECT_FALSE(state().help.open);
  ASSERT_NE(learn().lesson(), nullptr);
  EXPECT_EQ(learn().lesson()->name, "banks");
  EXPECT_EQ(learn().step_index(), 1U);
}

TEST_F(LessonWindow, TheFirstPictureBehindTheDoorsIsAnEasyOne) {
  show_easy_kernel(state());
  settle();
  EXPECT_EQ(variant().entry->id, "transpose/naive");
  EXPECT_EQ(state().view, View::kCoalescing);
}

// What the person brings below the page is what they want to see.
TEST_F(LessonWindow, ThePageStepsAsideForAKernelOrAView) {
  settle();
  run_command(state(), "Start page");
  draw_frames(3);
  act([](ImGuiTestContext& ctx) {
    ImGui::SetClipboardText("__global__ void mine(float* p) { p[threadIdx.x] = 1; }\n");
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_V);
  });
  settle();
  EXPECT_TRUE(variant().own.has_value());
  EXPECT_EQ(learn().page(), Learn::Page::kNone);
  run_command(state(), "Start page");
  draw_frames(3);
  press(ImGuiKey_B);
  EXPECT_FALSE(state().source_beside) << "plain keys are the page's";
  EXPECT_EQ(learn().page(), Learn::Page::kStart);
  press(ImGuiMod_Ctrl | ImGuiKey_3);
  EXPECT_EQ(learn().page(), Learn::Page::kNone);
  EXPECT_EQ(state().view, View::kBanks);
}

TEST_F(LessonWindow, TheThreeDoorsOpenAndDoNotComeAgain) {
  settle();
  run_command(state(), "Start page");
  draw_frames(3);
  EXPECT_TRUE(shows("See what a CUDA kernel does to the GPU."));
  for (const char* door : {"Learn", "Open your kernel or program", "Explore the catalogue"}) {
    EXPECT_TRUE(shows(door)) << door;
  }
  press(ImGuiKey_Escape);
  EXPECT_EQ(learn().page(), Learn::Page::kNone);
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / "tilescope_first_start.json";
  std::filesystem::remove(file);
  EXPECT_TRUE(load_remembered(file).first_start);
  Remembered remembered;
  remembered.lessons["transpose"] = 4;
  save_remembered(file, remembered);
  EXPECT_FALSE(load_remembered(file).first_start);
  EXPECT_EQ(load_remembered(file).lessons.at("transpose"), 4);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace tilescope
