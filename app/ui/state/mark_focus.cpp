#include "ui/state/mark_focus.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <vector>

#include "scene/drawing/labels.h"
#include "ui/drawing/style.h"
#include "ui/source/source_editor.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

bool same_mark(const Hit& a, const Hit& b) {
  return a.kind == b.kind && a.value == b.value && a.value2 == b.value2 && a.name == b.name &&
         a.variant == b.variant && (a.kind != HitKind::kNone || a.tooltip == b.tooltip);
}

bool alike(const Rect& a, const Rect& b) {
  return a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h;
}

// In reading order; of several on the same place the one on top.
std::vector<const ImGuiCanvas::PlacedHit*> marks_of(const ImGuiCanvas& canvas) {
  std::vector<Rect> places;
  std::vector<const ImGuiCanvas::PlacedHit*> marks;
  for (const ImGuiCanvas::PlacedHit& placed : canvas.hits()) {
    if (placed.hit.tooltip.empty()) continue;
    places.push_back(placed.screen);
    marks.push_back(&placed);
  }
  std::vector<const ImGuiCanvas::PlacedHit*> ordered;
  for (const std::size_t i : reading_order(places)) {
    if (!ordered.empty() && alike(ordered.back()->screen, marks[i]->screen)) {
      ordered.back() = marks[i];
    } else {
      ordered.push_back(marks[i]);
    }
  }
  return ordered;
}

}  // namespace

MarkKeys take_mark_keys(WindowState& state, View view) {
  const ImGuiIO& io = ImGui::GetIO();
  MarkFocus& focus = state.mark_focus;
  const bool here = ImGui::IsWindowFocused() && !io.WantTextInput && !state.editor.typing();
  MarkKeys keys;
  if (here && !io.KeyCtrl && !io.KeyAlt) {
    const ImGuiID owner = ImGui::GetID("marks");
    ImGui::SetKeyOwner(ImGuiKey_Tab, owner);
    if (ImGui::IsKeyPressed(ImGuiKey_Tab, ImGuiInputFlags_Repeat, owner)) {
      keys.step = io.KeyShift ? -1 : 1;
    }
  }
  const bool pointed = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseClicked[0];
  if (focus.view == view && (!here || pointed || ImGui::IsKeyPressed(ImGuiKey_Escape))) {
    focus.view.reset();
  }
  keys.active = keys.step != 0 || focus.view == view;
  keys.activate = focus.view == view && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                                         ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false));
  return keys;
}

const Hit* show_focused_mark(WindowState& state, View view, const ImGuiCanvas& canvas,
                             const MarkKeys& keys) {
  if (!keys.active) return nullptr;
  MarkFocus& focus = state.mark_focus;
  const std::vector<const ImGuiCanvas::PlacedHit*> marks = marks_of(canvas);
  if (marks.empty()) {
    focus.view.reset();
    return nullptr;
  }
  const std::size_t last = marks.size() - 1;
  if (focus.view == view) {
    // The same mark where it is drawn still, the nearest to its place in the order of several.
    std::optional<std::size_t> found;
    const auto distance = [&](std::size_t i) {
      return i > focus.place ? i - focus.place : focus.place - i;
    };
    for (std::size_t i = 0; i <= last; ++i) {
      if (!same_mark(marks[i]->hit, focus.hit)) continue;
      if (!found || distance(i) < distance(*found)) found = i;
    }
    focus.place = found.value_or(std::min(focus.place, last));
    if (keys.step > 0) focus.place = focus.place == last ? 0 : focus.place + 1;
    if (keys.step < 0) focus.place = focus.place == 0 ? last : focus.place - 1;
  } else {
    focus.place = keys.step < 0 ? last : 0;
  }
  focus.view = view;
  const ImGuiCanvas::PlacedHit& mark = *marks[focus.place];
  focus.hit = mark.hit;
  const float edge = state.px(2);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto frame = [&](float grow, ColourRole role) {
    list->AddRect({mark.screen.x - grow, mark.screen.y - grow},
                  {mark.screen.right() + grow, mark.screen.bottom() + grow},
                  packed(role, state.theme()), state.px(3), 0, edge);
  };
  frame(2 * edge, ColourRole::kBackground);
  frame(edge, ColourRole::kFirst);
  state.tooltip.offer_to_keys(mark.hit.tooltip, mark.screen);
  return &mark.hit;
}

}  // namespace tilescope
