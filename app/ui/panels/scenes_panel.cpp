#include "ui/panels/scenes_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/state/actions.h"
#include "ui/state/commands.h"
#include "ui/state/panel_surface.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

constexpr float kSceneRow = 27;

// The name of the selected row as it is typed: Enter or a click elsewhere takes it, Escape does
// not.
void draw_scene_name_field(WindowState& state) {
  SceneEditing& editing = state.scene_editing;
  const bool appearing = editing.frames == 0;
  if (appearing) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const bool entered =
      ImGui::InputText("##scene name", &editing.name,
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  constexpr int kFramesToGetFocus = 3;
  const bool left = !ImGui::IsItemActive() && editing.frames > kFramesToGetFocus;
  if (editing.frames <= kFramesToGetFocus) state.frame_wanted = true;
  ++editing.frames;
  if (!entered && !left) return;
  // Escape has put the old name back.
  state.presentation.rename(editing.name);
  editing = {};
  state.frame_wanted = true;
}

void draw_scene_rows(WindowState& state) {
  Presentation& presentation = state.presentation;
  PanelSurface surface(state);
  float y = 0;
  for (std::size_t i = 0; i < presentation.scenes().size(); ++i, y += kSceneRow) {
    const NamedScene& scene = presentation.scenes()[i];
    const bool chosen = i == presentation.chosen();
    const Rect row{0, y, surface.width(), kSceneRow};
    ImGui::PushID(static_cast<int>(i));
    if (chosen && state.scene_editing.typing) {
      const Point corner = surface.screen({0, y + 1});
      ImGui::SetCursorScreenPos({corner.x, corner.y});
      draw_scene_name_field(state);
      ImGui::PopID();
      continue;
    }
    const Touch touch = surface.control(
        "scene", row, scene.note.empty() ? "Click to show it; R renames it." : scene.note);
    ImGui::PopID();
    if (chosen || touch.hovered) {
      surface.canvas().fill_rect(row, chosen ? ColourRole::kRaised : ColourRole::kHover, 4);
    }
    surface.text(22, y + kSceneRow / 2, std::to_string(i + 1),
                 styled(12, ColourRole::kDim, Weight::kMedium, Align::kRight));
    surface.fitted(32, surface.width() - 8, y + kSceneRow / 2, scene.name,
                   styled(13, chosen ? ColourRole::kStrong : ColourRole::kText,
                          chosen ? Weight::kSemibold : Weight::kRegular));
    if (touch.clicked) presentation.show(state, i);
    if (touch.double_clicked) rename_scene(state);
  }
  surface.finish(y);
}

void draw_scene_note(WindowState& state, float height) {
  std::string note = state.presentation.present().note;
  if (std::exchange(state.scene_editing.focus_note, false)) ImGui::SetKeyboardFocusHere();
  ImGui::PushID(static_cast<int>(state.presentation.chosen()));
  if (ImGui::InputTextMultiline("##scene note", &note, {-1, height},
                                ImGuiInputTextFlags_WordWrap)) {
    state.presentation.set_note(std::move(note));
  } else if (note.empty() && !ImGui::IsItemActive()) {
    const ImVec2 corner = ImGui::GetItemRectMin();
    const ImVec2 padding = ImGui::GetStyle().FramePadding;
    ImGui::GetWindowDrawList()->AddText({corner.x + padding.x, corner.y + padding.y},
                                        packed(ColourRole::kDim, state.theme()),
                                        "What you say here. Only you see it.");
  }
  ImGui::PopID();
}

// One under the other where there is no room beside.
void draw_scene_buttons(WindowState& state) {
  struct Button {
    const char* command;
    const char* words;
  };
  static constexpr std::array kButtons{Button{"Scene: add what is on screen", "Add"},
                                       Button{"Scene: replace by what is on screen", "Replace"},
                                       Button{"Scene: rename", "Rename"},
                                       Button{"Scene: up", "Up"},
                                       Button{"Scene: down", "Down"},
                                       Button{"Scene: remove", "Remove"},
                                       Button{"Lecture mode", "Present"}};
  const bool none = state.presentation.scenes().empty();
  const float edge = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (const Button& button : kButtons) {
    if (none && &button != kButtons.data()) break;
    const auto command = std::ranges::find(state.commands, button.command, &Command::name);
    if (command == state.commands.end()) continue;
    const float width = ImGui::CalcTextSize(button.words).x + 2 * ImGui::GetStyle().FramePadding.x;
    if (&button != kButtons.data()) {
      ImGui::SameLine(0, state.px(6));
      if (ImGui::GetCursorScreenPos().x + width > edge) ImGui::NewLine();
    }
    if (ImGui::Button(button.words)) command->act(state);
    const std::string keys = keys_of(*command);
    ImGui::SetItemTooltip("%s%s", command->name.c_str(),
                          keys.empty() ? "" : fmt::format(" ({})", keys).c_str());
  }
}

}  // namespace

void draw_scenes_panel(WindowState& state) {
  ImGui::PushFont(state.fonts.text(Weight::kRegular), 13);
  if (state.presentation.scenes().empty()) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(
        "A lecture is a list of scenes. Arrange the window as the first one should be, then press "
        "A.");
    ImGui::PopTextWrapPos();
    draw_scene_buttons(state);
    ImGui::PopFont();
    return;
  }
  draw_scene_buttons(state);
  const float room = ImGui::GetContentRegionAvail().y;
  const float note = std::clamp(room * 0.4F, state.px(44), state.px(150));
  ImGui::BeginChild("rows", {0, std::max(state.px(kSceneRow), room - note - state.px(8))});
  draw_scene_rows(state);
  ImGui::EndChild();
  draw_scene_note(state, note);
  ImGui::PopFont();
}

}  // namespace tilescope
