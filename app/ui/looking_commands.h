#pragma once
#include <imgui.h>

#include <functional>
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
  // One that does something where `can` holds alone; elsewhere its title says so, and the palette
  // leaves it out.
  void add_where(std::function<bool(const Desk&)> can, Command command) const {
    command.title = [name = command.name, can = std::move(can)](const Desk& desk) {
      return can(desk) ? name : name + ": nothing";
    };
    add(std::move(command));
  }
};

// What a person looks at: time, the selection and the parameters, the view in front.
void add_time_commands(const Group& group);
void add_choice_commands(const Group& group);
void add_view_commands(const Group& group);

}  // namespace tilescope
