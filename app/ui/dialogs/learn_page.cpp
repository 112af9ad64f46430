#include "ui/dialogs/learn_page.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/quantity.h"
#include "core/text.h"
#include "ui/dialogs/session_dialog.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/state/layout.h"
#include "ui/state/lesson_export.h"
#include "ui/state/panel_surface.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

// Three doors.
constexpr float kDoorWidth = 390;
constexpr float kDoorGap = 24;
constexpr float kDoorHeight = 460;
constexpr float kPictureHeight = 130;

// The list.
constexpr float kLessonsWidth = 920;
constexpr float kLessonRow = 74;
constexpr float kListTop = 98;

struct Door {
  const char* id;
  const char* title;
  const char* words;
  std::array<std::string, 3> facts;
  const char* button;
  void (*draw)(PanelSurface& surface, const Rect& area);
  void (*act)(WindowState& state);
};

// Lanes of a warp and the sectors that they reach: what the first lesson is about.
void draw_lanes(PanelSurface& surface, const Rect& area) {
  Canvas& canvas = surface.canvas();
  constexpr int kLanes = 32;
  const float cell = area.w / kLanes;
  for (int lane = 0; lane < kLanes; ++lane) {
    const float x = area.x + static_cast<float>(lane) * cell;
    canvas.fill_rect({x + 0.5F, area.y, cell - 1, 22}, Paint::lane(lane), 2);
    const float to = area.x + static_cast<float>((lane * 7 + 3) % kLanes) * cell + cell / 2;
    canvas.line({x + cell / 2, area.y + 24}, {to, area.bottom() - 26}, Paint::lane(lane, 0.6F),
                1.2F);
    canvas.fill_rect({x + 0.5F, area.bottom() - 24, cell - 1, 22},
                     Paint(ColourRole::kExcess, 0.25F + 0.02F * static_cast<float>(lane % 8)), 2);
  }
}

// A text with the cost of its lines beside it.
void draw_text_lines(PanelSurface& surface, const Rect& area) {
  Canvas& canvas = surface.canvas();
  constexpr std::array<std::pair<float, float>, 7> kLines{
      {{0.62F, 0}, {0.85F, 0}, {0.5F, 0.1F}, {0.74F, 0.95F}, {0.3F, 0}, {0.66F, 0.4F}, {0.2F, 0}}};
  const float pitch = area.h / kLines.size();
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    const float y = area.y + static_cast<float>(i) * pitch;
    const auto [length, cost] = kLines[i];
    canvas.fill_rect({area.x + (i > 0 && i < 6 ? 22.0F : 0.0F), y + 4, length * area.w * 0.75F, 8},
                     cost > 0.5F ? ColourRole::kStrong : ColourRole::kFaint, 3);
    if (cost > 0) {
      canvas.fill_rect({area.right() - 0.2F * area.w, y + 2, 0.2F * area.w * cost, 12},
                       ColourRole::kExcess, 2);
    }
  }
}

// The steps of a ladder, each faster than the last.
void draw_ladder(PanelSurface& surface, const Rect& area) {
  Canvas& canvas = surface.canvas();
  constexpr std::array kSteps{0.05F, 0.14F, 0.3F, 0.42F, 0.63F, 0.88F, 1.0F};
  const float pitch = area.h / kSteps.size();
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    const float y = area.y + static_cast<float>(i) * pitch;
    canvas.fill_rect({area.x, y + 2, area.w, pitch - 5}, ColourRole::kRaised, 3);
    canvas.fill_rect({area.x, y + 2, area.w * kSteps[i], pitch - 5},
                     i + 1 == kSteps.size() ? ColourRole::kIdeal : ColourRole::kFirst, 3);
  }
}

void start_first_lesson(WindowState& state) {
  const auto& lessons = state.learn.library().lessons;
  if (!lessons.empty()) state.learn.open(state, lessons.front().name, 0);
}

void open_a_file(WindowState& state) {
  state.learn.show_page(Learn::Page::kNone);
  ask_for_file(state, FileQuestion::kOpen);
}

void explore(WindowState& state) {
  state.learn.show_page(Learn::Page::kNone);
  show_easy_kernel(state);
}

std::string families_words(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : catalogue.entries) {
    if (names.empty() || names.back() != entry.family) names.push_back(entry.family);
  }
  return joined(names);
}

std::array<Door, 3> doors_of(const WindowState& state) {
  const auto& lessons = state.learn.library().lessons;
  const std::size_t kernels = state.workbench.catalogue().entries.size();
  return {{
      {"learn door",
       "Learn",
       "New to warps, sectors and banks? Start here.",
       {fmt::format("{} of 5 to 20 minutes", counted(lessons.size(), "lesson")),
        "A question before each answer", "Every number computed from a real kernel"},
       "Start with lesson 1",
       draw_lanes,
       start_first_lesson},
      {"open door",
       "Open your kernel or program",
       "A .cu or .ptx file, or a whole program.",
       {"Drop it anywhere on this window", "Ctrl V pastes a kernel",
        "Run a program and take its launches"},
       "Open a file",
       draw_text_lines,
       open_a_file},
      {"explore door",
       "Explore the catalogue",
       "Change a tile size and watch what happens.",
       {fmt::format("{}, from naive to fast", counted(kernels, "kernel")),
        families_words(state.workbench.catalogue()), "Recorded times of an H200 beside each"},
       "Open the transpose",
       draw_ladder,
       explore},
  }};
}

void draw_door(PanelSurface& surface, const Door& door, const Rect& place, bool strong) {
  constexpr float kInset = 24;
  Canvas& canvas = surface.canvas();
  canvas.fill_rect(place, ColourRole::kPanel, 8);
  canvas.stroke_rect(place, ColourRole::kLine, 1, 8);
  const float x = place.x + kInset;
  const float room = place.w - 2 * kInset;
  const float picture = std::min(kPictureHeight, place.h * 0.3F);
  door.draw(surface, {x, place.y + kInset, room, picture});
  float y = place.y + kInset + picture + 34;
  surface.fitted(x, x + room, y, door.title, styled(19, ColourRole::kStrong, Weight::kBold));
  y = surface.paragraph(x, y + 30, room, door.words, styled(14)) + 10;
  for (const std::string& fact : door.facts) {
    canvas.fill_circle({x + 3, y}, 3, ColourRole::kIdeal);
    y = surface.paragraph(x + 16, y, room - 16, fact, styled(13)) + 6;
  }
  const Rect button{x, place.bottom() - kInset - 36, room, 36};
  const Touch touch = surface.control(door.id, button, door.words);
  const Paint ground = strong ? ColourRole::kFirst : ColourRole::kRaised;
  canvas.fill_rect(
      button,
      touch.hovered ? Paint(strong ? ColourRole::kFirst : ColourRole::kHover, strong ? 0.85F : 1.0F)
                    : ground,
      6);
  surface.text(button.center().x, button.center().y, door.button,
               styled(13.5F, strong ? text_on(ground, surface.theme()) : Paint(ColourRole::kStrong),
                      Weight::kSemibold, Align::kCenter));
  if (touch.clicked) door.act(surface.state());
}

std::string what_this_computer_can(const WindowState& state) {
  const auto device = state.workbench.gpu().device();
  if (device && device->ok()) {
    return "Everything you see is computed from the compiled kernel; times are measured on your " +
           device->value().name + ".";
  }
  return "Everything you see is computed from the compiled kernel. This computer has no NVIDIA "
         "GPU: times are recorded ones, everything else works.";
}

// True when the page was closed.
bool draw_close(PanelSurface& surface, const char* id, const char* meaning) {
  const Rect place{surface.width() - 52, 20, 28, 28};
  const Touch touch = surface.control(id, place, meaning);
  if (touch.hovered) surface.canvas().fill_rect(place, ColourRole::kHover, 6);
  const Point c = place.center();
  for (const float slope : {1.0F, -1.0F}) {
    surface.canvas().line({c.x - 5, c.y - 5 * slope}, {c.x + 5, c.y + 5 * slope}, ColourRole::kText,
                          1.5F);
  }
  return touch.clicked;
}

void draw_start(PanelSurface& surface) {
  WindowState& state = surface.state();
  const float width = surface.width();
  const float height = surface.height();
  const float door = std::min(kDoorWidth, (width - 48 - 2 * kDoorGap) / 3);
  const float door_height = std::min(kDoorHeight, height - 190);
  float y = std::max(40.0F, (height - door_height - 170) / 2);
  const float middle = width / 2;
  surface.text(
      middle, y, "See what a CUDA kernel does to the GPU.",
      styled(width > 1500 ? 30.0F : 25.0F, ColourRole::kStrong, Weight::kBold, Align::kCenter));
  y += 42;
  const std::string words = what_this_computer_can(state);
  surface.text(middle, y, words,
               styled(13.5F, ColourRole::kText, Weight::kRegular, Align::kCenter));
  y += 40;
  float x = middle - 1.5F * door - kDoorGap;
  bool strong = true;
  for (const Door& each : doors_of(state)) {
    draw_door(surface, each, {x, y, door, door_height}, std::exchange(strong, false));
    x += door + kDoorGap;
  }
  y += door_height + 34;
  surface.text(
      middle, y,
      "F1 explains every term  ·  Ctrl Shift P finds everything  ·  Learn in the bar above "
      "opens the lessons",
      styled(12.5F, ColourRole::kDim, Weight::kRegular, Align::kCenter));
  if (draw_close(surface, "close start", "Closes this page (Escape); it does not come again.")) {
    state.learn.show_page(Learn::Page::kNone);
  }
}

// "tensor_cores" -> "tensor cores"
std::string spaced(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

// "3 of 8 steps seen", "done".
std::string progress_words(const WindowState& state, const Lesson& lesson) {
  const auto found = state.learn.progress().find(lesson.name);
  if (found == state.learn.progress().end() || found->second == 0) return "";
  const auto steps = static_cast<int>(lesson.steps.size());
  return found->second >= steps ? "done" : fmt::format("step {} of {}", found->second, steps);
}

std::string first_words(const WindowState& state, const Lesson& lesson) {
  std::vector<std::string> titles;
  for (const std::string& name : lesson.first) {
    const Lesson* other = state.learn.library().find(name);
    titles.push_back(other != nullptr ? other->title : name);
  }
  return titles.empty() ? "C is enough to know" : "First: " + joined(titles);
}

// Scrolls the list to the chosen row when the keys, or the end of a lesson, have chosen another
// one.
void keep_in_sight(PanelSurface& surface, const Rect& row) {
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const ImGuiID id = ImGui::GetID("chosen row");
  const auto at = static_cast<int>(row.y);
  if (kept.GetInt(id, -1) == at) return;
  kept.SetInt(id, at);
  const float top = row.y * surface.scale();
  const float bottom = row.bottom() * surface.scale();
  const float seen = ImGui::GetScrollY();
  if (top < seen) ImGui::SetScrollY(top);
  if (bottom > seen + ImGui::GetWindowHeight()) {
    ImGui::SetScrollY(bottom - ImGui::GetWindowHeight());
  }
}

constexpr float kLessonText = 68;        // where a row's words begin
constexpr float kLessonTextRight = 150;  // and end, before its right edge

// One or two lines say what a lesson is about.
float lesson_row_height(PanelSurface& surface, const Lesson& lesson, float width) {
  const Lesson& shown = surface.state().learn.in_language(surface.state(), lesson);
  const bool fits = surface.canvas().text_width(shown.understand, styled(12.5F)) <=
                    width - kLessonText - kLessonTextRight;
  return fits ? kLessonRow : kLessonRow + 18;
}

void draw_lesson_row(PanelSurface& surface, const Lesson& lesson, std::size_t number,
                     const Rect& row) {
  WindowState& state = surface.state();
  ImGui::PushID(lesson.name.c_str());
  const Rect page{row.right() - 140, row.bottom() - 26, 126, 22};
  const Touch touch =
      surface.control("lesson row", {row.x, row.y, row.w - 150, row.h}, lesson.understand);
  const Touch export_touch = surface.control(
      "export page", page, "Writes the lesson as one HTML file, with its pictures, for a browser.");
  ImGui::PopID();
  const bool chosen = number == state.learn.chosen_row() + 1;
  surface.canvas().fill_rect(row, touch.hovered ? ColourRole::kHover : ColourRole::kPanel, 8);
  if (chosen) {
    surface.canvas().stroke_rect(row, ColourRole::kFirst, 1.5F, 8);
    keep_in_sight(surface, row);
  }
  if (export_touch.hovered) surface.canvas().fill_rect(page, ColourRole::kHover, 6);
  surface.text(page.right() - 6, page.center().y, "Export as a page",
               styled(12, export_touch.hovered ? ColourRole::kStrong : ColourRole::kDim,
                      Weight::kRegular, Align::kRight));
  if (export_touch.clicked) export_lesson_page(state, lesson);
  const float middle = row.center().y;
  surface.text(row.x + 34, middle, std::to_string(number),
               styled(20, ColourRole::kFirst, Weight::kSemibold, Align::kCenter));
  const float x = row.x + kLessonText;
  const float right = row.right() - kLessonTextRight;
  const Lesson& shown = state.learn.in_language(state, lesson);
  surface.fitted(x, right, row.y + 18, shown.title,
                 styled(15, ColourRole::kStrong, Weight::kSemibold));
  surface.paragraph(x, row.y + 38, right - x, shown.understand, styled(12.5F));
  surface.fitted(x, right, row.bottom() - 17, first_words(state, lesson),
                 styled(12, ColourRole::kDim));
  const TextStyle at_right = styled(12.5F, ColourRole::kText, Weight::kRegular, Align::kRight);
  surface.text(row.right() - 20, row.y + 20, fmt::format("{} min", lesson.minutes), at_right);
  const std::string seen = progress_words(state, lesson);
  surface.text(row.right() - 20, row.y + 36, seen,
               styled(12, seen == "done" ? ColourRole::kIdeal : ColourRole::kDim, Weight::kMedium,
                      Align::kRight));
  if (touch.clicked) state.learn.open(state, lesson.name);
}

ColourRole colour_of(ExerciseState exercise) {
  switch (exercise) {
    case ExerciseState::kPasses:
      return ColourRole::kIdeal;
    case ExerciseState::kFails:
      return ColourRole::kExcess;
    default:
      return ColourRole::kDim;
  }
}

void draw_exercise_row(PanelSurface& surface, const Exercise& exercise, const Rect& row) {
  WindowState& state = surface.state();
  ImGui::PushID(exercise.name.c_str());
  const Touch touch = surface.control("exercise row", row, exercise.task.front());
  ImGui::PopID();
  surface.canvas().fill_rect(row, touch.hovered ? ColourRole::kHover : ColourRole::kPanel, 6);
  const ExerciseState its = state.practice.progress().of(exercise.name).state;
  const float middle = row.center().y;
  surface.canvas().fill_circle({row.x + 20, middle}, 4, colour_of(its));
  surface.fitted(row.x + 40, row.right() - 110, middle, exercise.title, styled(13.5F));
  surface.text(row.right() - 20, middle, name_of(its),
               styled(12, colour_of(its), Weight::kMedium, Align::kRight));
  if (touch.clicked) state.practice.open(state, exercise.name);
}

std::string exercises_words(const WindowState& state) {
  const auto& exercises = state.practice.library().exercises;
  const auto passed = std::ranges::count_if(exercises, [&](const Exercise& exercise) {
    return state.practice.progress().of(exercise.name).state == ExerciseState::kPasses;
  });
  return fmt::format(
      "A kernel with a fault or a gap, in your own editor or here; {} of {} pass. The same in a "
      "terminal: tilescope learn",
      passed, exercises.size());
}

// Two columns, topic by topic. Returns the y below.
float draw_exercises(PanelSurface& surface, float y) {
  constexpr float kExerciseRow = 34;
  constexpr float kApart = 6;
  WindowState& state = surface.state();
  const auto& exercises = state.practice.library().exercises;
  const float width = (surface.width() - 4 - kApart) / 2;
  std::string topic;
  bool at_right = false;
  for (const Exercise& exercise : exercises) {
    if (exercise.topic != topic) {
      if (at_right) y += kExerciseRow + kApart;
      at_right = false;
      topic = exercise.topic;
      surface.text(0, y + 14, spaced(topic), styled(12.5F, ColourRole::kDim, Weight::kSemibold));
      y += 30;
    }
    draw_exercise_row(surface, exercise, {at_right ? width + kApart : 0, y, width, kExerciseRow});
    if (state.practice.exercise() != nullptr) return y;  // it was opened
    if (at_right) y += kExerciseRow + kApart;
    at_right = !at_right;
  }
  return at_right ? y + kExerciseRow + kApart : y;
}

// Left and Right choose the list, Up and Down a lesson, Enter opens it.
void take_list_keys(WindowState& state) {
  const auto& lessons = state.learn.library().lessons;
  std::size_t& chosen = state.learn.chosen_row();
  if (state.help.open) return;
  if (ImGui::IsKeyPressed(ImGuiKey_RightArrow)) state.learn.show_page(Learn::Page::kExercises);
  if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) state.learn.show_page(Learn::Page::kLessons);
  if (lessons.empty() || state.learn.page() != Learn::Page::kLessons) return;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) chosen = std::min(chosen + 1, lessons.size() - 1);
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow) && chosen > 0) --chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_Enter)) {
    state.learn.open(state, lessons[std::min(chosen, lessons.size() - 1)].name);
  }
}

// The name of a list, which a click shows. Returns where the next one begins.
float draw_list_name(PanelSurface& surface, float x, const std::string& name, std::size_t count,
                     Learn::Page page) {
  Learn& learn = surface.state().learn;
  const bool shown = learn.page() == page;
  const TextStyle style = styled(24, shown ? ColourRole::kStrong : ColourRole::kDim, Weight::kBold);
  const TextStyle small = styled(13, ColourRole::kDim, Weight::kSemibold);
  const std::string number = std::to_string(count);
  const float name_width = surface.canvas().text_width(name, style);
  const float end = x + name_width + 8 + surface.canvas().text_width(number, small);
  const Rect place{x, 18, end - x, 36};
  if (surface.control(name.c_str(), place, "Left and Right arrow choose the list.").clicked)
    learn.show_page(page);
  surface.text(x, 36, name, style);
  surface.text(x + name_width + 8, 38, number, small);
  if (shown) surface.canvas().fill_rect({x, 52, name_width, 2.5F}, ColourRole::kFirst);
  return end + 32;
}

void draw_lists(PanelSurface& surface) {
  WindowState& state = surface.state();
  const float width = std::min(kLessonsWidth, surface.width() - 48);
  const float x = (surface.width() - width) / 2;
  const bool shows_lessons = state.learn.page() == Learn::Page::kLessons;
  const float next = draw_list_name(surface, x, "Lessons", state.learn.library().lessons.size(),
                                    Learn::Page::kLessons);
  draw_list_name(surface, next, "Exercises", state.practice.library().exercises.size(),
                 Learn::Page::kExercises);
  const std::string exported = shows_lessons ? lesson_export_words(state) : std::string();
  if (state.lesson_export != nullptr && state.lesson_export->running()) state.frame_wanted = true;
  surface.fitted(x, x + width, 70,
                 !exported.empty() ? exported
                 : shows_lessons ? "Each runs real kernels and asks before it tells. What you have "
                                   "open now comes back when you leave a lesson."
                                 : exercises_words(state),
                 styled(13));
  const Point corner = surface.screen({x, kListTop});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::BeginChild(
      "lessons", {width * surface.scale(), (surface.height() - kListTop - 16) * surface.scale()});
  {
    PanelSurface list(state, surface.scale() / state.scale);
    float y = 0;
    std::size_t number = 0;
    if (!shows_lessons) y = draw_exercises(list, y);
    for (const Lesson& lesson : state.learn.library().lessons) {
      if (!shows_lessons || state.learn.lesson() != nullptr) break;  // it was opened
      const float height = lesson_row_height(list, lesson, list.width() - 4);
      draw_lesson_row(list, lesson, ++number, {0, y, list.width() - 4, height});
      y += height + 8;
    }
    for (const auto* problems :
         {&state.learn.library().problems, &state.practice.library().problems}) {
      for (const Error& problem : *problems) {
        y = list.paragraph(0, y + 10, list.width() - 8, to_string(problem),
                           styled(12.5F, ColourRole::kExcess));
      }
    }
    list.finish(y);
  }
  ImGui::EndChild();
  if (draw_close(surface, "close lessons", "Closes the list (Escape).")) {
    state.learn.show_page(Learn::Page::kNone);
  }
}

}  // namespace

void show_easy_kernel(WindowState& state) {
  const CatalogueEntry* entry = state.workbench.usual_kernel();
  if (entry == nullptr) return;
  state.workbench.choose_kernel(*entry);
  state.open_family = entry->family;
  state.raise = View::kCoalescing;
}

void draw_learn_page(WindowState& state) {
  if (state.learn.page() == Learn::Page::kNone) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float top = state.px(kTopBarHeight);
  ImGui::SetNextWindowPos({0, top});
  ImGui::SetNextWindowSize({screen.x, std::max(1.0F, screen.y - top)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kBackground, state.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin("learn", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings);
  constexpr float kWidth = 1280;
  constexpr float kHeight = 660;
  PanelSurface surface(state, magnification(state, kWidth, kHeight));
  if (state.learn.page() == Learn::Page::kStart) {
    draw_start(surface);
  } else {
    draw_lists(surface);
  }
  surface.finish(surface.height());
  if (state.learn.lists()) take_list_keys(state);
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

}  // namespace tilescope
