#include "ui/overlays.h"

#include <imcmd_command_palette.h>
#include <imgui.h>

#include <array>
#include <string>
#include <utility>

#include "ui/desk.h"
#include "ui/fonts.h"
#include "ui/panel.h"
#include "ui/sheet.h"
#include "ui/shortcuts.h"
#include "ui/style.h"
#include "ui/time_control.h"

namespace tilescope {
namespace {

void add_command(std::string name, std::function<void()> action) {
  ImCmd::Command command;
  command.Name = std::move(name);
  command.InitialCallback = std::move(action);
  ImCmd::AddCommand(std::move(command));
}

void add_kernel_commands(Desk& desk) {
  for (const CatalogueEntry& entry : desk.bench.catalogue().entries) {
    add_command("Kernel: " + entry.id + ", " + entry.title, [&desk, id = entry.id] {
      if (const CatalogueEntry* chosen = desk.bench.catalogue().find(id)) {
        desk.bench.choose_kernel(*chosen);
      }
    });
  }
}

void add_panel_commands(Desk& desk) {
  for (const Panel& panel : all_panels()) {
    if (panel.view) {
      add_command(std::string("View: ") + panel.title,
                  [&desk, view = *panel.view] { desk.raise = view; });
    }
    add_command(std::string("Panel: ") + panel.title + ", open or close",
                [&desk, title = std::string(panel.title)] {
                  desk.panel_open[title] = !desk.panel_open[title];
                });
  }
}

void add_other_commands(Desk& desk) {
  add_command("Theme: dark", [&desk] { desk.preferences.theme = Theme::kDark; });
  add_command("Theme: light", [&desk] { desk.preferences.theme = Theme::kLight; });
  add_command("Theme: paper", [&desk] { desk.preferences.theme = Theme::kPaper; });
  add_command("Lecture mode", [&desk] { desk.lecture = !desk.lecture; });
  add_command("Reduce motion",
              [&desk] { desk.preferences.reduce_motion = !desk.preferences.reduce_motion; });
  add_command("Reset layout", [&desk] {
    for (auto& [title, open] : desk.panel_open) open = true;
    desk.reset_layout = true;
  });
  add_command("Reset parameters", [&desk] { desk.bench.reset_parameters(); });
  add_command("Play or pause", [&desk] { toggle_playback(desk); });
  add_command("Add a variant", [&desk] { desk.bench.add_variant(); });
  add_command("Measure again", [&desk] { desk.bench.measure_again(); });
  add_command("New kernel from the clipboard", [&desk] { paste_kernel(desk); });
  add_command("Edit the source, or read it", [&desk] { desk.editing = !desk.editing; });
  add_command("Revert the source", [&desk] { desk.bench.revert_source(); });
  add_command("Export this view …", [&desk] { open_picture_export(desk); });
  add_command("Export a chart …",
              [&desk] { open_picture_export(desk, PictureExport::Subject::kOverParameter); });
  add_command("Help", [&desk] { desk.help_open = true; });
}

}  // namespace

CommandPalette::CommandPalette(Desk& desk) {
  ImCmd::CreateContext();
  add_kernel_commands(desk);
  add_panel_commands(desk);
  add_other_commands(desk);
}

CommandPalette::~CommandPalette() { ImCmd::DestroyContext(); }

void CommandPalette::draw(Desk& desk) {
  if (std::exchange(desk.palette_wanted, false)) {
    open_ = !open_;
    if (open_) ImCmd::SetNextCommandPaletteSearchBoxFocused();
  }
  if (!open_) return;
  ImCmd::SetStyleFont(ImCmdTextType_Regular, desk.fonts.text(Weight::kRegular));
  ImCmd::SetStyleFont(ImCmdTextType_Highlight, desk.fonts.text(Weight::kBold));
  ImCmd::SetStyleColor(ImCmdTextType_Highlight, packed(ColourRole::kFirst, desk.theme()));
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x / 2, desk.px(kTopBarHeight + 8)}, ImGuiCond_Always, {0.5F, 0});
  ImGui::SetNextWindowSize({std::min(desk.px(560), screen.x - desk.px(32)), 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kRaised, desk.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, desk.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImCmd::CommandPaletteWindow("commands", &open_);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  if (ImGui::IsKeyPressed(ImGuiKey_Escape)) open_ = false;
}

void draw_help(Desk& desk) {
  if (!desk.help_open) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({desk.px(560), desk.px(590)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kRaised, desk.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, desk.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(desk.px(24), desk.px(20)));
  if (ImGui::Begin("Help", &desk.help_open,
                   ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove)) {
    Sheet sheet(desk);
    static constexpr std::array<std::pair<const char*, const char*>, 16> kKeys{{
        {"Space", "play and pause the block's time"},
        {",   .", "one instruction back, on"},
        {"Shift ,   Shift .", "one phase back, on"},
        {"Page Up   Page Down", "one k-step back, on"},
        {"I   O   L", "repeat from here, to here; play on (Shift drags on the strip)"},
        {"Shift 0 … 9", "set a bookmark here; right click on its flag removes it"},
        {"0 … 9", "go to the bookmark"},
        {"Left   Right", "the slider that was touched last, one legal value"},
        {"Ctrl + wheel, drag", "zoom and move the matrices"},
        {"Ctrl E", "this view as SVG, PDF or PNG"},
        {"Ctrl V", "open the kernel in the clipboard; drop a file for one on disk"},
        {"Ctrl Shift P", "kernels, views and commands by name"},
        {"Ctrl +   Ctrl -   Ctrl 0", "size of text and everything else"},
        {"Right click", "on a panel: close it, show its tab"},
        {"X", "compare: one variant alone, then the base, and back"},
        {"F1", "this"},
    }};
    float y = 8;
    sheet.text(0, y, "Keys", styled(15, ColourRole::kStrong, Weight::kSemibold));
    y += 28;
    for (const auto& [key, action] : kKeys) {
      sheet.text(0, y, key, styled(12, ColourRole::kStrong, Weight::kMedium));
      sheet.text(180, y, action, styled(12));
      y += 22;
    }
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
