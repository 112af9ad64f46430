#pragma once
#include <imgui.h>

#include <utility>
#include <vector>

#include "ui/commands.h"

namespace tilescope {

inline constexpr int kCtrl = ImGuiMod_Ctrl;
inline constexpr int kShift = ImGuiMod_Shift;
inline constexpr int kAlt = ImGuiMod_Alt;

// The rows of one group of commands.
struct Group {
  std::vector<Command>& all;
  CommandGroup group;

  void add(Command command) const {
    command.group = group;
    all.push_back(std::move(command));
  }
};

// What a person looks at: time, the selection and the parameters, the view in front.
void add_time_commands(const Group& group);
void add_choice_commands(const Group& group);
void add_view_commands(const Group& group);

}  // namespace tilescope
