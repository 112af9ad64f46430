#include "ui/state/commands.h"

#include <imgui.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "ui/source/source_editor.h"
#include "ui/state/window_state.h"

namespace tilescope {

std::string name_of_chord(int chord) {
  std::string name;
  const auto add = [&](std::string_view word) {
    if (!name.empty()) name += ' ';
    name += word;
  };
  if ((chord & ImGuiMod_Ctrl) != 0) add("Ctrl");
  if ((chord & ImGuiMod_Alt) != 0) add("Alt");
  if ((chord & ImGuiMod_Shift) != 0) add("Shift");
  const auto key = static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_);
  static constexpr std::pair<ImGuiKey, const char*> kSigns[] = {
      {ImGuiKey_Comma, ","},        {ImGuiKey_Period, "."},
      {ImGuiKey_LeftBracket, "["},  {ImGuiKey_RightBracket, "]"},
      {ImGuiKey_Equal, "+"},        {ImGuiKey_Minus, "-"},
      {ImGuiKey_LeftArrow, "Left"}, {ImGuiKey_RightArrow, "Right"},
      {ImGuiKey_UpArrow, "Up"},     {ImGuiKey_DownArrow, "Down"},
      {ImGuiKey_PageUp, "Page Up"}, {ImGuiKey_PageDown, "Page Down"}};
  const auto* sign = std::ranges::find(kSigns, key, &std::pair<ImGuiKey, const char*>::first);
  add(sign != std::end(kSigns) ? sign->second : ImGui::GetKeyName(key));
  return name;
}

std::string keys_of(const Command& command) {
  return command.chords.empty() ? std::string() : name_of_chord(command.chords.front());
}

void handle_keys(WindowState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool typing = io.WantTextInput || state.editor.typing();
  // Arrows and Space are the focus's own while it is seen, but for a slider's values.
  const bool focus_seen = io.NavVisible && !state.slider_focused;
  // A page over the window has the plain keys for itself.
  const bool covered = state.learn.page() != Learn::Page::kNone;
  const Command* wanted = nullptr;
  for (const Command& command : state.commands) {
    if ((typing && !command.while_typing) || (focus_seen && command.yields_to_focus)) continue;
    if (command.keys_when && !command.keys_when(state)) continue;
    const bool plain_ones_are_the_pages = covered && !command.keys_when && !command.while_typing;
    const ImGuiInputFlags flags =
        ImGuiInputFlags_RouteGlobal | (command.repeats ? ImGuiInputFlags_Repeat : 0);
    for (const int chord : command.chords) {
      if (plain_ones_are_the_pages && (chord & ImGuiMod_Ctrl) == 0) continue;
      if (ImGui::Shortcut(chord, flags)) wanted = &command;
    }
  }
  state.slider_focused = false;
  if (wanted != nullptr) wanted->act(state);
}

bool run_command(WindowState& state, const std::string& name) {
  const auto command = std::ranges::find(state.commands, name, &Command::name);
  if (command == state.commands.end()) return false;
  command->act(state);
  return true;
}

}  // namespace tilescope
