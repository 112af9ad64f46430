// A lecture of scenes: made, named, paged through and left by the keyboard alone.
#include <imgui.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scene/views.h"
#include "session_fixture.h"
#include "ui/state/actions.h"
#include "ui/state/commands.h"
#include "ui/state/presentation.h"
#include "ui/state/view_context.h"

namespace tilescope {
namespace {

class LectureWindow : public SessionTest {
 protected:
  [[nodiscard]] Workbench::Settings settings() const override { return {.ahead_threads = 0}; }
  void press(int chord) {
    act([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); });
    settle();
  }
  void type(const char* words) {
    act([words](ImGuiTestContext& ctx) { ctx.KeyCharsReplaceEnter(words); });
    settle();
  }
  [[nodiscard]] Presentation& presentation() { return state().presentation; }
  // A scene of what is on screen, added and named by keys.
  void make_scene(const char* name) {
    press(ImGuiKey_A);
    press(ImGuiKey_R);
    type(name);
  }
  void turn_parameter(const char* name, std::int64_t value) {
    workbench_->set_parameter(name, value);
    settle();
  }
};

TEST_F(LectureWindow, EightScenesGoByTheKeyboardAlone) {
  choose("transpose/naive", 64);
  state().raise = View::kTiling;
  settle();
  make_scene("naive");
  press(ImGuiMod_Ctrl | ImGuiKey_2);
  make_scene("sectors");
  choose("transpose/tiled", 64);
  make_scene("tiled");
  press(ImGuiMod_Ctrl | ImGuiKey_3);
  turn_parameter("PAD", 0);
  make_scene("column");
  press(ImGuiKey_RightBracket);
  make_scene("another lane");
  turn_parameter("PAD", 1);
  make_scene("PAD 1");
  press(ImGuiMod_Ctrl | ImGuiKey_6);
  make_scene("occupancy");
  press(ImGuiMod_Ctrl | ImGuiKey_D);
  turn_parameter("PAD", 0);
  press(ImGuiMod_Ctrl | ImGuiKey_8);
  make_scene("compare");
  const std::vector<std::string> names{"naive",        "sectors", "tiled",     "column",
                                       "another lane", "PAD 1",   "occupancy", "compare"};
  ASSERT_EQ(presentation().scenes().size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(presentation().scenes()[i].name, names[i]);
  }

  const Document own = document();
  presentation().choose(0);
  press(ImGuiKey_F11);
  ASSERT_TRUE(presentation().presents());
  for (std::size_t i = 0; i < names.size(); ++i) {
    ASSERT_EQ(presentation().chosen(), i);
    const Scene& wanted = presentation().present().scene;
    EXPECT_TRUE(says(names[i]));
    EXPECT_EQ(state().view, wanted.view) << names[i];
    const Document shown = document();
    ASSERT_EQ(shown.variants.size(), wanted.variants.size()) << names[i];
    EXPECT_EQ(shown.active, wanted.active);
    for (std::size_t v = 0; v < wanted.variants.size(); ++v) {
      EXPECT_EQ(shown.variants[v].kernel, wanted.variants[v].kernel) << names[i];
      EXPECT_EQ(shown.variants[v].parameters, wanted.variants[v].parameters) << names[i];
      EXPECT_TRUE(shown.variants[v].selection == wanted.variants[v].selection) << names[i];
    }
    EXPECT_TRUE(same_content(state().session.history().present(), own)) << "put aside";
    // The picture of the next scene is there before it is asked for.
    if (const NamedScene* next = presentation().next()) {
      for (const VariantDocument& variant : next->scene.variants) {
        EXPECT_NE(workbench_->ready(variant), nullptr) << next->name;
      }
      act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_PageDown); });
      EXPECT_FALSE(variant().study_pending) << "no spinner";
      settle();
    }
  }
  press(ImGuiKey_PageDown);
  EXPECT_EQ(presentation().chosen(), names.size() - 1) << "the last stays";
  press(ImGuiKey_PageUp);
  EXPECT_EQ(presentation().chosen(), names.size() - 2);

  press(ImGuiKey_B);
  EXPECT_TRUE(state().aids.blank);
  press(ImGuiKey_Period);
  EXPECT_FALSE(state().aids.blank);
  press(ImGuiKey_B);
  press(ImGuiKey_PageUp);
  EXPECT_FALSE(state().aids.blank) << "a scene that is asked for is seen";
  press(ImGuiKey_K);
  const TextAudit texts = audit();
  const auto row = std::ranges::find(texts.texts, "One thread for all", &TextAudit::Text::words);
  ASSERT_NE(row, texts.texts.end());
  EXPECT_GE(row->screen.h, 18) << "read from the back of a room";
  EXPECT_TRUE(says("Swizzled float4")) << "the ladder";
  press(ImGuiKey_Escape);
  EXPECT_EQ(state().aids.overlay, LectureAids::Overlay::kNone);
  EXPECT_TRUE(presentation().presents()) << "Escape closes what lies above first";

  turn_parameter("PAD", 4);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(presentation().presents());
  EXPECT_FALSE(state().lecture);
  EXPECT_TRUE(same_content(document(), own)) << change_between(own, document()).name;
}

TEST_F(LectureWindow, StayingIsOneStepOfUndo) {
  choose("transpose/tiled", 64);
  turn_parameter("PAD", 0);
  press(ImGuiKey_A);
  turn_parameter("PAD", 2);
  const Document own = document();
  press(ImGuiKey_F11);
  EXPECT_EQ(variant().parameters.at("PAD"), 0);
  press(ImGuiKey_F11);
  EXPECT_FALSE(presentation().presents());
  EXPECT_EQ(variant().parameters.at("PAD"), 0) << "what is shown stays";
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  EXPECT_TRUE(same_content(document(), own)) << change_between(own, document()).name;
}

TEST_F(LectureWindow, TheListIsSavedAndUndone) {
  choose("transpose/tiled", 64);
  press(ImGuiKey_A);
  make_scene("second");
  press(ImGuiMod_Shift | ImGuiKey_R);
  act([](ImGuiTestContext& ctx) { ctx.KeyCharsReplace("say: two"); });
  settle();
  EXPECT_EQ(presentation().present().note, "say: two");
  presentation().move(-1);
  draw_frames(2);
  EXPECT_EQ(presentation().scenes()[0].name, "second");
  const std::string saved = file("lecture.tilescope");
  save(saved);
  presentation().remove();
  draw_frames(2);
  EXPECT_EQ(presentation().scenes().size(), 1U);
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  EXPECT_EQ(presentation().scenes().size(), 2U);
  state().session.make_new(state());
  draw_frames(2);
  EXPECT_TRUE(presentation().scenes().empty());
  open_session(saved);
  ASSERT_EQ(presentation().scenes().size(), 2U);
  EXPECT_EQ(presentation().scenes()[0].note, "say: two");
}

// A ladder as a lecture: its steps in order, each where the view shows most.
TEST_F(LectureWindow, AFamilyIsASceneForEachStep) {
  choose("transpose/tiled", 64);
  press(ImGuiMod_Ctrl | ImGuiKey_2);
  ASSERT_TRUE(run_command(state(), "Scene: add each kernel of this family"));
  const Scenes& scenes = presentation().scenes();
  ASSERT_GE(scenes.size(), 5U);
  EXPECT_EQ(presentation().chosen(), 0U);
  int step = 0;
  for (const NamedScene& named : scenes) {
    const CatalogueEntry* entry = workbench_->catalogue().find(named.scene.variants.front().kernel);
    ASSERT_NE(entry, nullptr);
    EXPECT_GT(entry->step, step) << named.name;
    step = entry->step;
    EXPECT_EQ(named.scene.view, View::kCoalescing);
  }
  const std::string saved = file("ladder.tilescope");
  save(saved);
  open_session(saved);
  ASSERT_GE(presentation().scenes().size(), 5U);
  presentation().choose(1);
  press(ImGuiKey_F11);
  settle();
  const Selection most =
      default_selection(View::kCoalescing, *variant().study, *variant().prepared);
  EXPECT_EQ(variant().selection.event, most.event);
  EXPECT_GT(most.event, 0U);
}

TEST_F(LectureWindow, TheSpeakersPageHasNoteNextSceneAndClock) {
  choose("transpose/tiled", 64);
  make_scene("first");
  presentation().set_note("Ask how many banks there are.");
  press(ImGuiMod_Ctrl | ImGuiKey_3);
  make_scene("second");
  presentation().choose(0);
  press(ImGuiKey_F11);
  EXPECT_EQ(interface_->presenter_page(), nullptr);
  EXPECT_FALSE(says("Ask how many banks there are.")) << "the room does not see it";
  press(ImGuiMod_Alt | ImGuiKey_N);
  ASSERT_NE(interface_->presenter_page(), nullptr);
  for (const char* words : {"Ask how many banks there are.", "Next: second", "1 / 2"}) {
    EXPECT_TRUE(says(words)) << words;
  }
  platform_->show_beside(interface_->presenter_page());
  const Screenshot page = platform_->read_beside();
  EXPECT_EQ(page.width, 1920);
  EXPECT_TRUE(is_drawn(page));
  press(ImGuiKey_PageDown);
  EXPECT_TRUE(says("This is the last scene."));
  press(ImGuiKey_Escape);
  EXPECT_EQ(interface_->presenter_page(), nullptr);
}

// What a long sentence says beside the point gives way to the picture.
TEST_F(LectureWindow, NoSentenceTakesThePicturesRoom) {
  open(1280, 720, Theme::kLight);
  choose("gemm/shared_tile", 128);
  state().lecture = true;
  for (const ViewDescriptor& view : view_descriptors()) {
    if (view.needs.variants) continue;
    state().raise = view.view;
    settle();
    EXPECT_FALSE(says("This figure needs")) << view.name;
  }
  state().raise = View::kOccupancy;
  settle();
  EXPECT_TRUE(says("Warp slots"));
}

// As large on the wall as in a window of 1280 x 720, and back.
TEST_F(LectureWindow, ALargerWindowMakesEverythingLarger) {
  open(1920, 1080, Theme::kDark);
  choose("transpose/tiled", 64);
  const float before = state().scale;
  state().lecture = true;
  settle();
  EXPECT_FLOAT_EQ(state().scale, 1.5F * before);
  for (const ViewDescriptor& view : view_descriptors()) {
    if (view.needs.variants) continue;
    state().raise = view.view;
    settle();
    EXPECT_FALSE(says("This figure needs")) << view.name;
  }
  state().lecture = false;
  settle();
  EXPECT_FLOAT_EQ(state().scale, before);
}

// A number key or a click answers; "2  3" would not say which is the choice.
TEST_F(LectureWindow, ChoicesBesideThePictureAreButtonsOfTheBand) {
  open(1280, 720, Theme::kDark);
  ASSERT_TRUE(state().learn.open(state(), "banks", 2));
  state().lecture = true;
  settle();
  ASSERT_TRUE(state().learn.asks());
  ASSERT_FALSE(state().learn.veils());
  const auto& choices = state().learn.step().question->choices;
  const auto right = std::ranges::find(choices, true, &LessonQuestion::Choice::right);
  const auto number = std::to_string(right - choices.begin());
  act([&](ImGuiTestContext& ctx) { ctx.ItemClick(("//lesson/$$" + number + "/choice").c_str()); });
  settle();
  EXPECT_FALSE(state().learn.asks());
  EXPECT_TRUE(says("Answer " + std::to_string(right - choices.begin() + 1) + ": "));
  state().learn.leave(state());
}

// "It took:" alone says nothing to a room.
TEST_F(LectureWindow, AListThatAParagraphAnnouncesStandsBesideIt) {
  open(1280, 720, Theme::kDark);
  ASSERT_TRUE(state().learn.open(state(), "banks", 3));
  state().lecture = true;
  settle();
  EXPECT_TRUE(says("took:"));
  for (const char* words : {"0:", "8:", "2:", "1:"}) {
    EXPECT_TRUE(says(words)) << words;
  }
  EXPECT_FALSE(says("doubles")) << "it is no item of the list";
  state().learn.leave(state());
}

TEST_F(LectureWindow, ALessonHasASpeakersPageToo) {
  ASSERT_TRUE(state().learn.open(state(), "transpose", 0));
  settle();
  press(ImGuiKey_F11);
  EXPECT_EQ(interface_->presenter_page(), nullptr);
  press(ImGuiMod_Alt | ImGuiKey_N);
  ASSERT_NE(interface_->presenter_page(), nullptr);
  const std::vector<LessonStep>& steps = state().learn.lesson()->steps;
  const std::string place = "1 / " + std::to_string(steps.size());
  ASSERT_FALSE(steps[0].notes.empty());
  const std::string note = steps[0].notes.front().substr(0, 30);
  for (const std::string& words : {place, note, "Next: " + steps[1].title, std::string("0:0")}) {
    EXPECT_TRUE(says(words)) << words;
  }
  press(ImGuiKey_PageDown);
  EXPECT_TRUE(says("2 / " + std::to_string(steps.size())));
  EXPECT_TRUE(says("A question waits: Page Down shows its answer."));
  state().learn.leave(state());
  settle();
  EXPECT_EQ(interface_->presenter_page(), nullptr);
  EXPECT_FALSE(state().shows_presenter) << "the next lesson is a learner's";
}

TEST_F(LectureWindow, SaysWhatTheLineSaysAndWhatCanBeTurned) {
  open(1280, 720, Theme::kLight);
  choose("transpose/tiled", 64);
  press(ImGuiMod_Ctrl | ImGuiKey_3);
  turn_parameter("PAD", 0);
  state().focused_parameter = "PAD";
  make_scene("column");
  press(ImGuiKey_F11);
  const TextAudit texts = audit();
  bool has_line = false;
  for (const TextAudit::Text& text : texts.texts) {
    EXPECT_FALSE(text.cut) << text.words;
    has_line |= text.words.find("tile[") != std::string::npos &&
                text.words.find(';') != std::string::npos &&
                text.words.find("…") == std::string::npos;
  }
  EXPECT_TRUE(has_line) << "the line in hand, whole";
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(variant().parameters.at("PAD"), 1);
  press(ImGuiKey_Escape);
  EXPECT_EQ(variant().parameters.at("PAD"), 0) << "what is turned in a lecture is not kept";
}

TEST_F(LectureWindow, ThePenDrawsUntilTheNextScene) {
  choose("transpose/tiled", 64);
  press(ImGuiKey_A);
  press(ImGuiKey_A);
  presentation().choose(0);
  press(ImGuiKey_F11);
  press(ImGuiKey_P);
  act([](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos({400, 400});
    ctx.MouseDown();
    ctx.MouseMoveToPos({600, 500});
    ctx.MouseUp();
  });
  ASSERT_EQ(state().aids.strokes.size(), 1U);
  EXPECT_GT(state().aids.strokes.front().size(), 1U);
  press(ImGuiKey_E);
  EXPECT_TRUE(state().aids.strokes.empty());
  state().aids.strokes.push_back({{0.1F, 0.1F}, {0.2F, 0.2F}});
  press(ImGuiKey_PageDown);
  EXPECT_TRUE(state().aids.strokes.empty());
}

}  // namespace
}  // namespace tilescope
