#include "ui/dialogs/help.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/state/actions.h"
#include "ui/state/layout.h"
#include "ui/state/panel_surface.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

constexpr float kHelpRow = 21;
constexpr float kHelpColumn = 500;
constexpr float kHelpTop = 8;   // the middle of the first line
constexpr float kHelpGap = 10;  // before a heading

// A heading where there are no words.
struct HelpLine {
  std::string keys;
  std::string words{};
  std::optional<Source> mark{};  // in the place of keys
};
// Session, views and kernels; time, what is chosen, and the marks of numbers.
using HelpColumns = std::array<std::vector<HelpLine>, 2>;

HelpColumns help_columns(const std::vector<Command>& commands) {
  static constexpr std::array<std::pair<CommandGroup, const char*>, 5> kGroups{{
      {CommandGroup::kSession, "Session"},
      {CommandGroup::kKernel, "Kernel"},
      {CommandGroup::kView, "View"},
      {CommandGroup::kTime, "Time"},
      {CommandGroup::kChoice, "Selection"},
  }};
  HelpColumns columns;
  for (const auto& [group, title] : kGroups) {
    const bool right = group == CommandGroup::kTime || group == CommandGroup::kChoice;
    std::vector<HelpLine>& lines = columns[right ? 1 : 0];
    lines.push_back({title});
    for (const Command& command : commands) {
      if (command.group != group || command.help.empty()) continue;
      lines.push_back({command.keys.empty() ? keys_of(command) : command.keys, command.help});
    }
  }
  const std::vector<HelpLine> rest{
      {"Keys and pointer"},
      {"Tab   Shift Tab", "in a picture: next / previous mark; Enter clicks it"},
      {"Tab   arrows", "elsewhere: next control; Space or Enter presses it"},
      {"Ctrl Tab", "to the next panel"},
      {"Wheel, drag", "zoom and move the matrices"},
      {"Right click", "on a panel: close it or show its tab"},
      {"Where a number comes from"},
      {"", "measured on this GPU since the program started", Source::kMeasured},
      {"", "measured earlier, on the GPU that is named", Source::kRecorded},
      {"", "exact, counted while the CPU executed the compiled code", Source::kEmulated},
      {"", "estimated, with its error", Source::kModelled},
  };
  columns[1].insert(columns[1].end(), rest.begin(), rest.end());
  return columns;
}

// What stands above the line, from the middle of the one before.
float help_pitch(const HelpLine& line, bool first) {
  if (first) return kHelpTop;
  return line.words.empty() ? kHelpRow + kHelpGap : kHelpRow;
}

// Of the longer column.
float help_height(const HelpColumns& columns) {
  float most = 0;
  for (const std::vector<HelpLine>& lines : columns) {
    float height = kHelpTop;  // below the last line
    for (const HelpLine& line : lines) height += help_pitch(line, &line == &lines.front());
    most = std::max(most, height);
  }
  return most;
}

void draw_lines(PanelSurface& surface, float x, const std::vector<HelpLine>& lines) {
  float y = 0;
  for (const HelpLine& line : lines) {
    y += help_pitch(line, &line == &lines.front());
    if (line.words.empty()) {
      surface.text(x, y, line.keys, styled(13, ColourRole::kDim, Weight::kSemibold));
      continue;
    }
    const float words_x = line.mark ? x + 24 : x + 150;
    if (line.mark) {
      surface.mark({x + 6, y}, *line.mark, ColourRole::kText);
    } else {
      surface.text(x, y, line.keys, styled(12, ColourRole::kStrong, Weight::kMedium));
    }
    surface.fitted(words_x, x + kHelpColumn - 16, y, line.words, styled(12));
  }
}

}  // namespace

void draw_help(WindowState& state) {
  if (!state.help_open) return;
  const HelpColumns columns = help_columns(state.commands);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(state.px(2 * kHelpColumn + 48), screen.x),
                            std::min(state.px(help_height(columns) + 48), screen.y)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kRaised, state.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, state.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(state.px(24), state.px(24)));
  if (ImGui::Begin("Help", &state.help_open,
                   ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove)) {
    PanelSurface surface(state);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      draw_lines(surface, static_cast<float>(i) * kHelpColumn, columns[i]);
    }
    surface.finish(help_height(columns));
    if (ImGui::IsKeyPressed(ImGuiKey_Escape) ||
        (ImGui::IsMouseClicked(0) && !ImGui::IsWindowHovered() && !ImGui::IsWindowAppearing())) {
      state.help_open = false;
    }
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

}  // namespace tilescope
