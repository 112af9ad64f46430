#include "ui/panels/exercise_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <string>

#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/panels/fixed_area.h"
#include "ui/state/panel_surface.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

constexpr float kTaskMargin = 24;
constexpr float kTaskHead = 46;
constexpr float kTaskFoot = 60;

// True when pressed.
bool draw_leave_task(PanelSurface& surface, const Rect& place) {
  const Touch touch = surface.control(
      "leave exercise", place, "Leaves the exercise (Escape). What you had open comes back.");
  if (touch.hovered) surface.canvas().fill_rect(place, ColourRole::kHover, 6);
  const Point c = place.center();
  for (const float slope : {1.0F, -1.0F}) {
    surface.canvas().line({c.x - 4.5F, c.y - 4.5F * slope}, {c.x + 4.5F, c.y + 4.5F * slope},
                          ColourRole::kText, 1.5F);
  }
  return touch.clicked;
}

void draw_task_head(PanelSurface& surface) {
  WindowState& state = surface.state();
  const Practice& practice = state.practice;
  const float right = surface.width() - kTaskMargin;
  surface.fitted(kTaskMargin, right - 34, 23,
                 fmt::format("Exercise {} of {}: {}", practice.number(),
                             practice.library().exercises.size(), practice.exercise()->topic),
                 styled(12.5F, ColourRole::kDim, Weight::kMedium));
  if (draw_leave_task(surface, {right - 22, 11, 24, 24})) state.practice.leave(state);
}

// A tick or a cross.
void draw_sign(PanelSurface& surface, Point c, bool holds) {
  Canvas& canvas = surface.canvas();
  const ColourRole colour = holds ? ColourRole::kIdeal : ColourRole::kExcess;
  if (holds) {
    canvas.line({c.x - 5, c.y}, {c.x - 1.5F, c.y + 4}, colour, 2);
    canvas.line({c.x - 1.5F, c.y + 4}, {c.x + 5, c.y - 4}, colour, 2);
    return;
  }
  canvas.line({c.x - 4, c.y - 4}, {c.x + 4, c.y + 4}, colour, 2);
  canvas.line({c.x - 4, c.y + 4}, {c.x + 4, c.y - 4}, colour, 2);
}

std::string found_words(const ExerciseRow& row) {
  if (row.holds || row.wanted.empty()) return row.found;
  return fmt::format("{}, must be {}", row.found, row.wanted);
}

// Returns the y below. A click on a row that does not hold shows what it is about.
float draw_row(PanelSurface& surface, float y, const ExerciseRow& row, int index) {
  WindowState& state = surface.state();
  const float x = kTaskMargin + 24;
  const float room = surface.width() - kTaskMargin - x;
  const float top = y;
  draw_sign(surface, {kTaskMargin + 7, y}, row.holds);
  const TextStyle says = styled(13.5F, row.holds ? ColourRole::kText : ColourRole::kStrong,
                                row.holds ? Weight::kRegular : Weight::kSemibold);
  y = surface.paragraph(x, y, room, row.says, says);
  if (const std::string found = found_words(row); !found.empty()) {
    y = surface.paragraph(x, y, room, found,
                          styled(12.5F, row.holds ? ColourRole::kDim : ColourRole::kExcess));
  }
  if (!row.why.empty()) y = surface.paragraph(x, y + 2, room, row.why, styled(12.5F));
  if (!row.holds && (row.view || row.line != 0)) {
    const Rect place{kTaskMargin - 8, top - 11, surface.width() - 2 * kTaskMargin + 16,
                     y - top + 6};
    ImGui::PushID(index);
    const Touch touch = surface.control("check", place, "Shows it: the picture and the line.");
    ImGui::PopID();
    if (touch.hovered) surface.canvas().stroke_rect(place, ColourRole::kLine, 1, 6);
    if (touch.clicked) state.practice.show(state, row);
  }
  return y + 8;
}

float draw_checks(PanelSurface& surface, float y) {
  const Practice& practice = surface.state().practice;
  const float room = surface.width() - 2 * kTaskMargin;
  surface.rule(kTaskMargin, kTaskMargin + room, y);
  surface.text(kTaskMargin, y + 20, practice.checking() ? "CHECKING …" : "CHECKS", heading_style());
  y += 44;
  if (!practice.problem().empty()) {
    return surface.paragraph(kTaskMargin, y, room, practice.problem(),
                             styled(12.5F, ColourRole::kExcess));
  }
  if (practice.result() == nullptr) return y;
  int index = 0;
  for (const ExerciseRow& row : practice.result()->rows) y = draw_row(surface, y, row, index++);
  return y;
}

float draw_hints(PanelSurface& surface, float y) {
  const Practice& practice = surface.state().practice;
  const float room = surface.width() - 2 * kTaskMargin;
  if (practice.hints_shown() == 0) return y;
  surface.rule(kTaskMargin, kTaskMargin + room, y);
  y += 20;
  for (int i = 0; i < practice.hints_shown(); ++i) {
    surface.text(kTaskMargin, y, fmt::format("HINT {}", i + 1), heading_style());
    y = surface.paragraph(kTaskMargin, y + 22, room, practice.hint(i), styled(13.5F)) + 10;
  }
  return y;
}

void draw_task(PanelSurface& surface) {
  const Practice& practice = surface.state().practice;
  const float room = surface.width() - 2 * kTaskMargin;
  float y = surface.paragraph(kTaskMargin, 18, room, practice.exercise()->title,
                              styled(19, ColourRole::kStrong, Weight::kSemibold)) +
            6;
  for (const std::string& paragraph : practice.exercise()->task) {
    y = surface.paragraph(kTaskMargin, y, room, paragraph, styled(13.5F)) + 8;
  }
  y = draw_checks(surface, y + 4);
  y = draw_hints(surface, y + 6);
  surface.rule(kTaskMargin, kTaskMargin + room, y);
  y = surface.paragraph(kTaskMargin, y + 18, room,
                        "Edit the source here or in your own editor; it is checked at each save:",
                        styled(12, ColourRole::kDim));
  surface.fitted(kTaskMargin, kTaskMargin + room, y, practice.exercise()->place.string(),
                 styled(12, ColourRole::kDim));
  surface.explain({kTaskMargin, y - 9, room, 18}, practice.file().string());
  surface.finish(y + 20);
}

void draw_task_foot(PanelSurface& surface, float y) {
  WindowState& state = surface.state();
  Practice& practice = state.practice;
  const float room = surface.width() - 2 * kTaskMargin;
  const bool passes = practice.result() != nullptr && practice.result()->passes();
  const std::string lesson = practice.exercise()->lesson;
  const Rect next{kTaskMargin + room - 96, y, 96, 32};
  if (!lesson.empty() && state.learn.library().find(lesson) != nullptr) {
    const Rect button{kTaskMargin, y, 72, 32};
    const bool pressed = surface.push("its lesson", button, "Lesson");
    surface.explain(button, "Opens the lesson that teaches this.");
    if (pressed) {
      practice.leave(state);
      state.learn.open(state, lesson);
      return;
    }
  }
  const auto hints = static_cast<int>(practice.exercise()->hints.size());
  if (const int shown = practice.hints_shown(); shown < hints) {
    const Rect button{next.x - 112, y, 104, 32};
    const std::string words = fmt::format("Hint {} of {}", shown + 1, hints);
    if (surface.push("hint", button, words)) practice.show_next_hint(state);
    surface.explain(button, "Shows the next hint, with the addresses of your kernel.");
  }
  const bool goes_on = surface.push("next exercise", next, passes ? "Next" : "Skip", passes);
  surface.explain(next, "Opens the next exercise.");
  if (goes_on) practice.next(state);
}

}  // namespace

void draw_exercise(WindowState& state, float top, float width) {
  if (state.practice.exercise() == nullptr || width <= 0) return;
  const float bottom = ImGui::GetIO().DisplaySize.y;
  const FixedArea area(state, "exercise", {0, top, width, bottom - top}, ColourRole::kPanel);
  PanelSurface surface(state);
  surface.canvas().fill_rect({surface.width() - 1, 0, 1, surface.height()}, ColourRole::kLine, 0);
  draw_task_head(surface);
  const float height = surface.height();
  if (state.practice.exercise() != nullptr) {
    const Point below = surface.screen({0, kTaskHead});
    ImGui::SetCursorScreenPos({below.x, below.y});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::BeginChild("task", {width - 1, state.px(height - kTaskHead - kTaskFoot)});
    PanelSurface text(state);
    draw_task(text);
    ImGui::EndChild();
    ImGui::PopStyleVar();
    surface.rule(0, surface.width(), height - kTaskFoot);
    draw_task_foot(surface, height - kTaskFoot + 14);
  }
  surface.finish(height);
}

}  // namespace tilescope
