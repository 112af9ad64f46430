#include "ui/panels/lesson_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/curves/curve_chart.h"
#include "scene/drawing/pen.h"
#include "session/glossary.h"
#include "session/lesson_text.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/panels/fixed_area.h"
#include "ui/panels/lesson_text.h"
#include "ui/panels/source_line.h"
#include "ui/state/actions.h"
#include "ui/state/panel_surface.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

constexpr float kMargin = 24;
constexpr float kGap = 10;         // between paragraphs
constexpr float kFootHeight = 60;  // of the column: Back and Next
constexpr float kHeadHeight = 54;  // of the column: the lesson's title and progress
constexpr float kChoiceHeight = 34;

std::string step_words(const Learn& learn) {
  return fmt::format("step {} of {}", learn.step_index() + 1, learn.lesson()->steps.size());
}

void draw_lesson_progress(PanelSurface& surface, const Rect& bar) {
  const Learn& learn = surface.state().learn;
  const float share =
      static_cast<float>(learn.step_index() + 1) / static_cast<float>(learn.lesson()->steps.size());
  surface.canvas().fill_rect(bar, ColourRole::kRaised, bar.h / 2);
  surface.canvas().fill_rect({bar.x, bar.y, bar.w * share, bar.h}, ColourRole::kFirst, bar.h / 2);
}

// True when pressed.
bool draw_leave(PanelSurface& surface, const Rect& place) {
  const Touch touch = surface.control("leave lesson", place,
                                      "Leaves the lesson (Escape). What you had open comes back.");
  if (touch.hovered) surface.canvas().fill_rect(place, ColourRole::kHover, 6);
  const Point c = place.center();
  for (const float slope : {1.0F, -1.0F}) {
    surface.canvas().line({c.x - 4.5F, c.y - 4.5F * slope}, {c.x + 4.5F, c.y + 4.5F * slope},
                          ColourRole::kText, 1.5F);
  }
  return touch.clicked;
}

void draw_head(PanelSurface& surface) {
  const Learn& learn = surface.state().learn;
  const float right = surface.width() - kMargin;
  surface.fitted(kMargin, right - 100, 22, learn.lesson()->title,
                 styled(12.5F, ColourRole::kDim, Weight::kMedium));
  surface.text(right - 30, 22, step_words(learn),
               styled(12, ColourRole::kDim, Weight::kRegular, Align::kRight));
  draw_lesson_progress(surface, {kMargin, 38, right - kMargin, 4});
  if (draw_leave(surface, {right - 22, 10, 24, 24})) surface.state().learn.leave(surface.state());
}

// The place of a choice's letter: what it says, and whether it was right.
struct ChoiceLook {
  Paint frame = ColourRole::kLine;
  Paint letter = ColourRole::kDim;
  const char* sign = "";
};
ChoiceLook look_of(const Learn::Answer* answer, std::size_t index, bool right) {
  if (answer == nullptr) return {};
  if (right) return {ColourRole::kIdeal, ColourRole::kIdeal, "right"};
  if (answer->choice == index) return {ColourRole::kExcess, ColourRole::kExcess, "yours"};
  return {};
}

}  // namespace

float draw_lesson_choices(PanelSurface& surface, float x, float y, float room, float magnify) {
  WindowState& state = surface.state();
  const LessonQuestion& question = *state.learn.step().question;
  const Learn::Answer* answer = state.learn.answer();
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const LessonQuestion::Choice& choice = question.choices[i];
    const LessonType type{13.5F * magnify, 19 * magnify, answer != nullptr};
    const ChoiceLook look = look_of(answer, i, choice.right);
    const float sign_room = 52;
    const float indent = 38 * magnify;
    const float below = draw_lesson_text(surface, {x + indent, y}, room - indent - sign_room,
                                         choice.words, true, type, false);
    const float height = std::max(kChoiceHeight * magnify, below - y + 14);
    const Rect row{x, y, room, height};
    ImGui::PushID(static_cast<int>(i));
    const Touch touch =
        answer == nullptr
            ? surface.control("choice", row, fmt::format("Your answer (key {}).", i + 1))
            : Touch{};
    if (touch.hovered) surface.canvas().fill_rect(row, ColourRole::kHover, 6);
    surface.canvas().stroke_rect(row, look.frame, 1, 6);
    surface.text(x + indent / 2, row.center().y, std::to_string(i + 1),
                 styled(12 * magnify, look.letter, Weight::kSemibold, Align::kCenter));
    const float lines = below - y - type.pitch;  // from the first line to the last
    draw_lesson_text(surface, {x + indent, row.center().y - lines / 2}, room - indent - sign_room,
                     choice.words, true, type);
    surface.text(row.right() - 12, row.center().y, look.sign,
                 styled(11.5F, look.letter, Weight::kMedium, Align::kRight));
    ImGui::PopID();
    if (touch.clicked) state.learn.choose(state, i);
    y += height + 6 * magnify;
    if (touch.clicked) return y;
  }
  return y;
}

namespace {

// A field for a number; Enter takes it. Returns the y below.
float draw_number(PanelSurface& surface, float x, float y) {
  WindowState& state = surface.state();
  Learn& learn = state.learn;
  const Learn::Answer* answer = learn.answer();
  if (answer != nullptr) {
    const Learn::Shown& right = learn.shown(*learn.step().question->number, true);
    const std::string words =
        answer->number.empty() ? fmt::format("It is {}.", right.words)
        : answer->right        ? fmt::format("{}: right.", answer->number)
                               : fmt::format("You said {}. It is {}.", answer->number, right.words);
    surface.text(
        x, y + 12, words,
        styled(13.5F, answer->right ? ColourRole::kIdeal : ColourRole::kStrong, Weight::kSemibold));
    return y + 28;
  }
  const Point corner = surface.screen({x, y});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::SetNextItemWidth(state.px(110));
  ImGui::PushStyleColor(ImGuiCol_FrameBg, packed(ColourRole::kPanel, state.theme()));
  const std::string hint = state.in_language("a number");
  const bool entered = ImGui::InputTextWithHint("##Answer", hint.c_str(), &learn.typed(),
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  surface.state().tooltip.offer_for_item("Your answer; Enter takes it.");
  ImGui::PopStyleColor();
  const Rect button{x + 120, y, 80, 26};
  const bool pressed = surface.push("take answer", button, "Answer", true);
  surface.explain(button, "Takes the number, and shows the rest of the step.");
  if (entered || pressed) learn.take_number(state);
  return y + 32;
}

// Returns the y below.
float draw_question(PanelSurface& surface, float y) {
  WindowState& state = surface.state();
  const LessonQuestion& question = *state.learn.step().question;
  const float x = kMargin;
  const float room = surface.width() - 2 * kMargin;
  surface.rule(x, x + room, y);
  y += 18;
  surface.text(x, y, question.is_trial ? "YOUR TURN" : "YOUR PREDICTION", heading_style());
  y += 22;
  y = draw_lesson_text(surface, {x, y}, room, question.words, false, {14, 20, true, true}) + 4;
  y = question.choices.empty() ? draw_number(surface, x, y)
                               : draw_lesson_choices(surface, x, y, room, 1);
  if (state.learn.asks()) {
    surface.text(x, y + 8, "The rest of the step comes after your answer.",
                 styled(12, ColourRole::kDim));
    y += 20;
  }
  return y + 8;
}

// What the step's terms mean, at the foot of the column where the text leaves room below `y`: as
// many of them as fit. Returns the y below.
float draw_step_terms(PanelSurface& surface, float y) {
  constexpr float kHeading = 30;
  constexpr float kTermRow = 19;
  constexpr float kBetween = 10;
  WindowState& state = surface.state();
  const float room = surface.width() - 2 * kMargin;
  const TextStyle words = styled(12.5F, ColourRole::kDim);
  const float pitch = std::round(words.size * 1.4F);
  const auto height_of = [&](const GlossaryEntry* term) {
    const auto lines = surface.lines_of(short_definition(*term), room, words).size();
    return kTermRow + pitch * static_cast<float>(lines) + kBetween;
  };
  float height = kHeading;
  std::vector<const GlossaryEntry*> shown;
  for (const GlossaryEntry* term : state.learn.terms(state.glossary)) {
    const float with_it = height + height_of(term);
    if (y + with_it > surface.height()) break;
    shown.push_back(term);
    height = with_it;
  }
  if (shown.empty()) return y;
  y = surface.height() - height;
  surface.text(kMargin, y + 8, "WORDS OF THIS STEP", heading_style());
  y += kHeading;
  for (const GlossaryEntry* term : shown) {
    const TextStyle name = styled(13, ColourRole::kFirst, Weight::kMedium);
    const Rect place{kMargin, y - 9, surface.canvas().text_width(term->term, name), 18};
    const Touch touch = surface.control(term->term.c_str(), place, "Opens the whole entry.");
    if (touch.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    surface.text(kMargin, y, term->term, name);
    y = surface.paragraph(kMargin, y + kTermRow, room, short_definition(*term), words) + kBetween;
    if (touch.clicked) open_help(state, term->term);
  }
  return y - kBetween;
}

// The step's text from its heading on; scrolls where there is too little room, to what came with an
// answer by itself.
void draw_step(PanelSurface& surface) {
  WindowState& state = surface.state();
  const LessonStep& step = state.learn.step();
  const float room = surface.width() - 2 * kMargin;
  float y = surface.paragraph(kMargin, 20, room, step.title,
                              styled(19, ColourRole::kStrong, Weight::kSemibold)) +
            8;
  for (const LessonParagraph& paragraph : step.text) {
    y = draw_lesson_text(surface, {kMargin, y}, room, paragraph, false, {}) + kGap;
  }
  if (step.question) y = draw_question(surface, y + 4);
  if (!state.learn.asks()) {
    for (const LessonParagraph& paragraph : step.answer) {
      y = draw_lesson_text(surface, {kMargin, y + 8}, room, paragraph, true, {}) + kGap - 8;
    }
    for (const std::string& broken : state.learn.broken_claims()) {
      y = surface.paragraph(kMargin, y + 8, room, broken, styled(12.5F, ColourRole::kExcess)) + 4;
    }
  }
  if (state.learn.shows_notes() && !step.notes.empty()) {
    surface.rule(kMargin, kMargin + room, y + 6);
    surface.text(kMargin, y + 24, "SPEAKER'S NOTES", heading_style());
    y += 46;
    for (const std::string& note : step.notes) {
      y = surface.paragraph(kMargin, y, room, note, styled(13, ColourRole::kText)) + kGap;
    }
  }
  if (state.learn.take_revealed()) {
    const float hidden = std::max(0.0F, y + 8 - surface.height());
    ImGui::SetScrollY(std::max(ImGui::GetScrollY(), hidden * surface.scale()));
  }
  y = draw_step_terms(surface, y + 12);
  surface.finish(y + 8);
}

const char* next_words(const Learn& learn) {
  if (learn.asks()) return "Show the answer";
  return learn.is_last() ? "Done" : "Next";
}

void draw_turning(PanelSurface& surface, float y) {
  WindowState& state = surface.state();
  const float room = surface.width() - 2 * kMargin;
  const Rect back{kMargin, y, 84, 32};
  const Rect next{kMargin + room - 132, y, 132, 32};
  const bool can_go_back = state.learn.step_index() > 0;
  if (can_go_back && surface.push("back", back, "Back")) {
    state.learn.turn(state, -1);
    return;
  }
  if (can_go_back) surface.explain(back, "The step before (Page Up).");
  const Touch touch_next = surface.control("next", next, "Goes on (Page Down).");
  surface.canvas().fill_rect(next, Paint(ColourRole::kFirst, touch_next.hovered ? 0.85F : 1.0F), 6);
  surface.text(
      next.center().x, next.center().y, next_words(state.learn),
      styled(13, text_on(ColourRole::kFirst, state.theme()), Weight::kSemibold, Align::kCenter));
  if (touch_next.clicked) {
    state.learn.turn(state, 1);
    return;
  }
  const bool has_notes = !state.learn.step().notes.empty();
  const float left = can_go_back ? back.right() + 12 : kMargin;
  const Rect notes{left, y, 64, 32};
  if (!has_notes) return;
  const Touch touch = surface.control("notes", notes, "The speaker's notes of this step (Alt N).");
  if (touch.hovered) surface.canvas().fill_rect(notes, ColourRole::kHover, 6);
  surface.text(notes.center().x, notes.center().y, "Notes",
               styled(12.5F, state.learn.shows_notes() ? ColourRole::kStrong : ColourRole::kDim,
                      Weight::kMedium, Align::kCenter));
  if (touch.clicked) state.learn.toggle_notes();
}

void draw_column(WindowState& state, const Rect& px) {
  const FixedArea area(state, "lesson", px, ColourRole::kPanel);
  const bool open = state.learn.lesson() != nullptr;
  PanelSurface surface(state);
  surface.canvas().fill_rect({surface.width() - 1, 0, 1, surface.height()}, ColourRole::kLine, 0);
  if (open) draw_head(surface);
  const float height = surface.height();
  const Point below = surface.screen({0, kHeadHeight});
  ImGui::SetCursorScreenPos({below.x, below.y});
  if (open && state.learn.lesson() != nullptr) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    // Each step scrolls by itself.
    const std::string id = fmt::format("step {}", state.learn.step_index());
    ImGui::BeginChild(id.c_str(), {px.w - 1, state.px(height - kHeadHeight - kFootHeight)});
    PanelSurface text(state);
    draw_step(text);
    ImGui::EndChild();
    ImGui::PopStyleVar();
  }
  if (state.learn.lesson() != nullptr) {
    surface.rule(0, surface.width(), height - kFootHeight);
    draw_turning(surface, height - kFootHeight + 14);
  }
  surface.finish(height);
}

bool ends_with(const LessonParagraph& paragraph, std::string_view mark) {
  return !paragraph.empty() && paragraph.back().kind != LessonRun::Kind::kValue &&
         paragraph.back().text.ends_with(mark);
}

// "It took:" needs what follows: the items of a list, which end with no full stop or begin with a
// strong word.
std::span<const LessonParagraph> items_of(const std::vector<LessonParagraph>& text) {
  if (text.size() < 2 || (!ends_with(text[0], ":") && !ends_with(text[0], "："))) return {};
  const auto is_item = [](const LessonParagraph& paragraph) {
    return (!paragraph.empty() && paragraph.front().kind == LessonRun::Kind::kStrong) ||
           (!ends_with(paragraph, ".") && !ends_with(paragraph, "。"));
  };
  const auto end = std::find_if_not(text.begin() + 2, text.end(), is_item);
  return {text.begin() + 1, end};
}

// In the band, from large to small: read at the back of a room, then at least complete.
constexpr std::array<LessonType, 2> kBandTypes{LessonType{18, 22}, LessonType{15, 18}};

// Side by side, as many as have room above `bottom`; dots for the others.
void draw_items(PanelSurface& surface, float y, float bottom,
                std::span<const LessonParagraph> items, bool answered) {
  const float room = surface.width() - 2 * kMargin;
  LessonType type = kBandTypes.front();
  const auto fits = [&](std::size_t count) {
    const float column = room / static_cast<float>(count) - 20;
    return std::ranges::all_of(items.first(count), [&](const LessonParagraph& item) {
      return draw_lesson_text(surface, {kMargin, y}, column, item, answered, type, false) - 9 <=
             bottom;
    });
  };
  std::size_t count = items.size();
  if (!fits(count)) type = kBandTypes.back();
  while (count > 1 && !fits(count)) --count;
  const float column = room / static_cast<float>(count);
  for (std::size_t i = 0; i < count; ++i) {
    draw_lesson_text(surface, {kMargin + column * static_cast<float>(i), y}, column - 20, items[i],
                     answered, type);
  }
  if (count < items.size()) {
    surface.text(surface.width() - kMargin, y, "…",
                 styled(15, ColourRole::kDim, Weight::kRegular, Align::kRight));
  }
}

// The choices of a question whose picture is in sight, side by side between `top` and `bottom`: a
// number key or a click answers.
void draw_band_choices(PanelSurface& surface, float top, float bottom) {
  constexpr float kBetween = 12;
  constexpr float kIndent = 36;  // behind the number
  WindowState& state = surface.state();
  const std::vector<LessonQuestion::Choice>& choices = state.learn.step().question->choices;
  const float column =
      (surface.width() - 2 * kMargin + kBetween) / static_cast<float>(choices.size());
  const float room = column - kBetween - kIndent - 10;
  const auto height_in = [&](const LessonType& type, const LessonQuestion::Choice& choice) {
    return draw_lesson_text(surface, {0, 0}, room, choice.words, true, type, false);
  };
  LessonType type = kBandTypes.front();
  const bool fits = std::ranges::all_of(
      choices, [&](const auto& choice) { return height_in(type, choice) <= bottom - top; });
  if (!fits) type = kBandTypes.back();
  type.values_stand_out = false;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Rect box{kMargin + column * static_cast<float>(i), top, column - kBetween, bottom - top};
    ImGui::PushID(static_cast<int>(i));
    const Touch touch = surface.control("choice", box, fmt::format("Your answer (key {}).", i + 1));
    ImGui::PopID();
    surface.canvas().fill_rect(box, touch.hovered ? ColourRole::kHover : ColourRole::kRaised, 6);
    surface.text(box.x + kIndent / 2, box.center().y, std::to_string(i + 1),
                 styled(18, ColourRole::kFirst, Weight::kSemibold, Align::kCenter));
    const float lines = height_in(type, choices[i]) - type.pitch;  // from the first to the last
    draw_lesson_text(surface, {box.x + kIndent, box.center().y - lines / 2}, room, choices[i].words,
                     true, type);
    if (touch.clicked) {
      state.learn.choose(state, i);
      return;
    }
  }
}

// Behind the heading, once the question is answered: the choice that is right, in one line.
void draw_right_choice(PanelSurface& surface, float left, float right) {
  const Learn& learn = surface.state().learn;
  if (!learn.step().question || learn.asks()) return;
  const std::vector<LessonQuestion::Choice>& choices = learn.step().question->choices;
  const auto chosen = std::ranges::find(choices, true, &LessonQuestion::Choice::right);
  if (chosen == choices.end()) return;
  std::string words = fmt::format("Answer {}: ", chosen - choices.begin() + 1);
  for (const LessonRun& run : chosen->words) {
    words += run.kind == LessonRun::Kind::kValue
                 ? surface.state().learn.shown(run.value, true).words
                 : run.text;
  }
  surface.fitted(left, right, 32, words, styled(16, ColourRole::kIdeal, Weight::kMedium));
}

// What the step says first: a paragraph, or one with its list.
void draw_band_text(PanelSurface& surface, const LessonStep& step) {
  const bool answered = step.question.has_value();
  const std::vector<LessonParagraph>& text = answered ? step.answer : step.text;
  const std::span<const LessonParagraph> items = items_of(text);
  const float room = surface.width() - 2 * kMargin;
  const float bottom = surface.height() - 2;
  surface.canvas().push_clip({0, 44, surface.width(), bottom - 44});
  if (items.empty()) {
    draw_lesson_text(surface, {kMargin, 68}, room, text.front(), answered, {18, 26});
  } else {
    const float y =
        draw_lesson_text(surface, {kMargin, 60}, room, text.front(), answered, {16, 21});
    draw_items(surface, y + 2, bottom, items, answered);
  }
  surface.canvas().pop_clip();
}

// Above the view, for the back of a room: the heading, and what the step asks or says first.
void draw_band(WindowState& state, const Rect& px) {
  const FixedArea area(state, "lesson", px, ColourRole::kPanel);
  PanelSurface surface(state);
  if (state.learn.lesson() != nullptr) {
    const Learn& learn = state.learn;
    const LessonStep& step = learn.step();
    const float right = surface.width() - kMargin;
    const TextStyle title = styled(26, ColourRole::kStrong, Weight::kSemibold);
    surface.fitted(kMargin, right - 150, 30, step.title, title);
    draw_right_choice(surface, kMargin + surface.canvas().text_width(step.title, title) + 32,
                      right - 170);
    surface.text(right - 36, 30, step_words(learn),
                 styled(15, ColourRole::kDim, Weight::kRegular, Align::kRight));
    if (learn.asks()) {
      draw_lesson_text(surface, {kMargin, 64}, right - kMargin, step.question->words, false,
                       {18, 26, true, true});
      // Where the picture is covered, they are in its place.
      if (!step.question->choices.empty() && !learn.veils())
        draw_band_choices(surface, 80, surface.height() - 6);
    } else {
      draw_band_text(surface, step);
    }
    if (draw_leave(surface, {right - 22, 18, 24, 24})) state.learn.leave(state);
  }
  surface.rule(0, surface.width(), surface.height() - 0.5F);
  surface.finish(surface.height());
}

// A number of the lesson: its name, a slider and its value. It ends at `right`; returns where it
// begins.
float draw_slider(PanelSurface& surface, const LessonNumber& number, float right) {
  constexpr float kSlider = 200;
  WindowState& state = surface.state();
  const float middle = surface.height() / 2;
  double value = state.learn.numbers().find(number.name)->second;
  const float size = state.lecture ? 17 : 13;
  const TextStyle shown = styled(size, ColourRole::kStrong, Weight::kSemibold);
  float room = 0;  // the same for each of its values
  for (const double each : {number.from, value, number.to}) {
    room = std::max(room, surface.canvas().text_width(number_words(number, each), shown));
  }
  right -= room;
  surface.text(right, middle, number_words(number, value), shown);
  right -= 12;
  const Point corner = surface.screen({right - kSlider, middle - 11});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::SetNextItemWidth(state.px(kSlider));
  const bool by_ratio = CurveChart::Axis{{}, number.from, number.to, {}}.is_logarithmic();
  const std::string id = "##" + number.name;
  // Its own words would be below the grip; they are for typing.
  const bool is_typed = ImGui::TempInputIsActive(ImGui::GetID(id.c_str()));
  if (!is_typed) ImGui::PushStyleColor(ImGuiCol_Text, 0);
  if (ImGui::SliderScalar(id.c_str(), ImGuiDataType_Double, &value, &number.from, &number.to,
                          number.whole ? "%.0f" : "%.3g",
                          by_ratio ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None)) {
    state.learn.turn_number(state, number, value);
  }
  if (!is_typed) ImGui::PopStyleColor();
  surface.state().tooltip.offer_for_item(
      "Drag it, or press Enter and the arrows; the text follows.");
  const TextStyle name = styled(size, ColourRole::kStrong, Weight::kSemibold, Align::kRight);
  surface.text(right - kSlider - 10, middle, number.name, name);
  return right - kSlider - 10 - surface.canvas().text_width(number.name, name) - 28;
}

void draw_sliders(PanelSurface& surface, const LessonScene& scene) {
  const Lesson& lesson = *surface.state().learn.lesson();
  float right = surface.width() - kMargin;
  if (const LessonNumber* control = lesson.number(scene.control)) {
    if (scene.control != scene.over) right = draw_slider(surface, *control, right);
  }
  const CurveChart* chart = surface.state().learn.chart();
  if (chart != nullptr && !chart->has_control()) return;
  draw_slider(surface, *lesson.number(scene.over), right);
}

void draw_foot(WindowState& state, const Rect& px) {
  const FixedArea area(state, "lesson line", px, ColourRole::kPanel);
  PanelSurface surface(state);
  surface.rule(0, surface.width(), 0.5F);
  const LessonScene* scene = state.learn.scene();
  if (scene != nullptr && scene->is_chart()) {
    if (!state.learn.veils()) draw_sliders(surface, *scene);
  } else if (scene != nullptr) {
    const float size = state.lecture ? 17 : 13;
    const float right = draw_parameter_values(surface, scene->control, size);
    draw_source_line(surface, right, line_in_hand(state.workbench.active()),
                     state.lecture ? 19 : 14);
  }
  surface.finish(surface.height());
}

}  // namespace

PanelInsets draw_lesson(WindowState& state, float top) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const PanelInsets frame = panel_insets(state, screen.x);
  if (state.layout != name_of(LayoutKind::kLesson)) return frame;
  if (frame.left > 0) draw_column(state, {0, top, frame.left, screen.y - top});
  if (frame.top > 0) draw_band(state, {0, top, screen.x, frame.top});
  draw_foot(state, {frame.left, screen.y - frame.bottom, screen.x - frame.left, frame.bottom});
  return frame;
}

void draw_lesson_chart(WindowState& state, float top, const PanelInsets& frame) {
  const LessonScene* scene = state.learn.scene();
  if (frame.bottom <= 0 || scene == nullptr || !scene->is_chart() || state.learn.veils()) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const Rect px{frame.left, top + frame.top, screen.x - frame.left,
                screen.y - top - frame.top - frame.bottom};
  const FixedArea over_the_view(state, "lesson chart", px, ColourRole::kBackground,
                                /*over_others=*/true);
  PanelSurface surface(state);
  const Rect area = Rect{0, 0, surface.width(), surface.height()}.inset(24);
  const CurveChart* chart = state.learn.chart();
  if (chart == nullptr) {
    surface.text(area.center().x, area.center().y, "computing ...",
                 styled(14, ColourRole::kDim, Weight::kRegular, Align::kCenter));
  } else {
    const DrawingStyle look{.theme = state.theme(), .text_scale = state.lecture ? 1.4F : 1.0F};
    Pen pen(surface.canvas(), look);
    const Rect plot = draw_curve_chart(pen, area, *chart);
    const Touch touch = surface.control("chart", plot);
    surface.explain_hit();
    if (touch.hovered && chart->has_control()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (touch.held && chart->has_control()) {
      const float x =
          (ImGui::GetIO().MousePos.x - surface.screen({plot.x, 0}).x) / state.px(plot.w);
      state.learn.turn_number(state, *state.learn.lesson()->number(scene->over),
                              chart->x.value_at(static_cast<double>(x)));
    }
  }
  surface.finish(surface.height());
}

}  // namespace tilescope
