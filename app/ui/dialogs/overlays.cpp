#include "ui/dialogs/overlays.h"

#include <imgui.h>

#include <array>
#include <string>
#include <utility>

#include "ui/actions.h"
#include "ui/desk/desk.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/sheet.h"
#include "ui/drawing/style.h"
#include "ui/panels/panel.h"

namespace tilescope {
namespace {

constexpr float kHelpRow = 21;
constexpr float kHelpColumn = 500;

// Two columns: the session, views and kernels; time and what is chosen. Returns the y below.
float draw_keys(Sheet& sheet, const std::vector<Command>& commands) {
  static constexpr std::array<std::pair<CommandGroup, const char*>, 5> kGroups{{
      {CommandGroup::kSession, "Session"},
      {CommandGroup::kKernel, "Kernel"},
      {CommandGroup::kView, "View"},
      {CommandGroup::kTime, "Time"},
      {CommandGroup::kChoice, "What is looked at"},
  }};
  std::array<float, 2> bottom{8, 8};
  const auto row = [&](std::size_t column, const std::string& keys, const std::string& action) {
    const float x = static_cast<float>(column) * kHelpColumn;
    float& y = bottom[column];
    sheet.text(x, y, keys, styled(12, ColourRole::kStrong, Weight::kMedium));
    sheet.fitted(x + 150, x + kHelpColumn - 16, y, action, styled(12));
    y += kHelpRow;
  };
  for (const auto& [group, title] : kGroups) {
    const std::size_t column =
        group == CommandGroup::kTime || group == CommandGroup::kChoice ? 1 : 0;
    sheet.text(static_cast<float>(column) * kHelpColumn, bottom[column], title,
               styled(13, ColourRole::kDim, Weight::kSemibold));
    bottom[column] += kHelpRow + 2;
    for (const Command& command : commands) {
      if (command.group != group || command.help.empty()) continue;
      row(column, command.keys.empty() ? keys_of(command) : command.keys, command.help);
    }
    bottom[column] += 8;
  }
  sheet.text(kHelpColumn, bottom[1], "Keys and pointer",
             styled(13, ColourRole::kDim, Weight::kSemibold));
  bottom[1] += kHelpRow + 2;
  row(1, "Tab   Shift Tab", "in a picture: next mark, the one before; Enter clicks");
  row(1, "Tab   arrows", "elsewhere: to the next control; Space or Enter presses it");
  row(1, "Ctrl Tab", "to the next panel");
  row(1, "Wheel, drag", "zoom and move the matrices");
  row(1, "Right click", "on a panel: close it, show its tab");
  return std::max(bottom[0], bottom[1]);
}

}  // namespace

void draw_help(Desk& desk) {
  if (!desk.help_open) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize(
      {std::min(desk.px(2 * kHelpColumn + 48), screen.x), std::min(desk.px(620), screen.y)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kRaised, desk.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, desk.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(desk.px(24), desk.px(20)));
  if (ImGui::Begin("Help", &desk.help_open,
                   ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove)) {
    Sheet sheet(desk);
    float y = draw_keys(sheet, desk.commands);
    y += 16;
    sheet.text(0, y, "Where a number comes from",
               styled(15, ColourRole::kStrong, Weight::kSemibold));
    y += 28;
    static constexpr std::array<std::pair<Source, const char*>, 4> kMarks{{
        {Source::kMeasured, "measured on this machine's GPU in this sitting"},
        {Source::kRecorded, "measured earlier on the GPU that is named"},
        {Source::kEmulated, "exact, counted while the compiled code was executed on the CPU"},
        {Source::kModelled, "estimated, with its error"},
    }};
    for (const auto& [source, words] : kMarks) {
      sheet.mark({6, y}, source, ColourRole::kText);
      sheet.text(24, y, words, styled(12));
      y += 22;
    }
    sheet.finish(y);
    if (ImGui::IsKeyPressed(ImGuiKey_Escape) ||
        (ImGui::IsMouseClicked(0) && !ImGui::IsWindowHovered() && !ImGui::IsWindowAppearing())) {
      desk.help_open = false;
    }
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

}  // namespace tilescope
