#include "ui/shortcuts.h"

#include <imgui.h>

#include <algorithm>

#include "ui/desk.h"
#include "ui/source_editor.h"
#include "ui/time_control.h"

namespace tilescope {
namespace {

void scale_text(Desk& desk, float factor) {
  float& scale = desk.preferences.text_scale;
  scale = factor == 0 ? 1 : std::clamp(scale * factor, 0.7F, 3.0F);
}

}  // namespace

void paste_kernel(Desk& desk) {
  const char* text = ImGui::GetClipboardText();
  const Status opened = desk.bench.open_text(text != nullptr ? text : "");
  desk.note = opened.ok() ? std::string() : to_string(opened.error());
}

void handle_shortcuts(Desk& desk) {
  const auto pressed = [](ImGuiKeyChord chord) {
    return ImGui::Shortcut(chord, ImGuiInputFlags_RouteGlobal);
  };
  if (pressed(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P)) desk.palette_wanted = true;
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_Equal) || pressed(ImGuiMod_Ctrl | ImGuiKey_KeypadAdd) ||
      pressed(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal)) {
    scale_text(desk, 1.1F);
  }
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_Minus) || pressed(ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract)) {
    scale_text(desk, 1 / 1.1F);
  }
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_0)) scale_text(desk, 0);
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_E)) open_picture_export(desk);
  if (pressed(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_E)) {
    open_picture_export(desk, PictureExport::Subject::kOverParameter);
  }
  if (pressed(ImGuiKey_F1)) desk.help_open = !desk.help_open;
  if (ImGui::GetIO().WantTextInput || desk.editor.typing()) return;
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_V)) paste_kernel(desk);
  if (pressed(ImGuiKey_Space)) toggle_playback(desk);
  if (pressed(ImGuiKey_Comma)) step_events(desk, -1);
  if (pressed(ImGuiKey_Period)) step_events(desk, 1);
  if (pressed(ImGuiMod_Shift | ImGuiKey_Comma)) step_phases(desk, -1);
  if (pressed(ImGuiMod_Shift | ImGuiKey_Period)) step_phases(desk, 1);
  if (pressed(ImGuiKey_PageUp)) step_tiles(desk, -1);
  if (pressed(ImGuiKey_PageDown)) step_tiles(desk, 1);
  if (pressed(ImGuiKey_X) && desk.view == View::kCompare) flip_compared(desk);
  const std::uint32_t now = desk.bench.active().selection.event;
  if (pressed(ImGuiKey_I)) set_loop_in(desk, now);
  if (pressed(ImGuiKey_O)) set_loop_out(desk, now);
  if (pressed(ImGuiKey_L)) clear_loop(desk);
  for (int number = 0; number < 10; ++number) {
    const auto key = static_cast<ImGuiKey>(ImGuiKey_0 + number);
    if (pressed(ImGuiMod_Shift | key)) set_bookmark(desk, number);
    if (pressed(key)) go_to_bookmark(desk, number);
  }
}

}  // namespace tilescope
