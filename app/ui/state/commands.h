#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tilescope {

struct WindowState;

enum class CommandGroup : std::uint8_t {
  kSession,
  kLesson,
  kLecture,
  kTime,
  kChoice,
  kView,
  kKernel
};

// Something a person can ask for by name or by key.
struct Command {
  CommandGroup group{};
  std::string name;  // unique; in the palette and the menus
  std::function<void(WindowState&)> act;
  std::vector<int> chords = {};  // ImGuiKeyChord; the first is shown
  // Its row in the help, which may stand for several commands; empty: it has none.
  std::string help = {};
  std::string keys = {};         // as that row shows them; empty: the first chord
  bool while_typing = false;     // means the same while keys go to a text
  bool repeats = false;          // while its key is held
  bool yields_to_focus = false;  // its key moves or presses what has the focus, once that is seen
  std::function<std::string(const WindowState&)> title =
      {};  // more than its name: "Undo: TILE_K 16"
  // Where its keys mean this; absent: everywhere.
  std::function<bool(const WindowState&)> keys_when = {};
  std::string more = {};  // what a search finds it by beside its name
};

// "Ctrl Shift P"
[[nodiscard]] std::string name_of_chord(int chord);
// The first of the command's chords; empty: it has none.
[[nodiscard]] std::string keys_of(const Command& command);
// Acts on what was pressed. Once a frame.
void handle_keys(WindowState& state);
// Does what the command of this name does; false: there is none.
bool run_command(WindowState& state, const std::string& name);

}  // namespace tilescope
