#include "ui/dialogs/command_palette.h"

#include <imcmd_fuzzy_search.h>
#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/state/actions.h"
#include "ui/state/layout.h"
#include "ui/state/panel_surface.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

constexpr float kRow = 28;
constexpr std::size_t kRowsInSight = 12;

}  // namespace

std::vector<PaletteRow> palette_rows(Desk& desk) {
  std::vector<PaletteRow> rows;
  for (const Command& command : desk.commands) {
    const std::string title = command.title ? command.title(desk) : command.name;
    if (title.ends_with(": nothing")) continue;
    rows.push_back({title, keys_of(command), [&desk, act = command.act] { act(desk); }});
  }
  for (const std::string& file : desk.session.recent()) {
    rows.push_back({"Open recent: " + file, "", [&desk, file] { open_path(desk, file); }});
  }
  return rows;
}

std::vector<std::size_t> rows_found(const std::vector<PaletteRow>& rows, std::string_view words) {
  std::vector<std::size_t> found(rows.size());
  std::iota(found.begin(), found.end(), std::size_t{0});
  if (words.empty()) return found;
  const std::string pattern(words);
  std::vector<int> score(rows.size(), 0);
  std::erase_if(found, [&](std::size_t row) {
    std::array<std::uint8_t, 128> matches{};
    int count = 0;
    const bool some = ImCmd::FuzzySearch(pattern.c_str(), rows[row].name.c_str(), score[row],
                                         matches.data(), static_cast<int>(matches.size()), count);
    return !some || static_cast<std::size_t>(count) < pattern.size();
  });
  std::ranges::stable_sort(found, std::ranges::greater{},
                           [&](std::size_t row) { return score[row]; });
  return found;
}

void CommandPalette::run(std::size_t row) {
  open_ = false;
  const std::function<void()> act = rows_[row].act;
  act();
}

void CommandPalette::draw_rows(Desk& desk, const std::vector<std::size_t>& found, float width) {
  const float pitch = desk.px(kRow);
  const float indent = desk.px(10);
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const PaletteRow& row = rows_[found[i]];
    ImGui::PushID(static_cast<int>(i));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const bool clicked = ImGui::InvisibleButton("row", {width, pitch});
    const bool hovered = ImGui::IsItemHovered();
    ImGui::PopID();
    if (i == chosen_ || hovered) {
      list->AddRectFilled(corner, {corner.x + width, corner.y + pitch},
                          packed(ColourRole::kHover, desk.theme()), desk.px(4));
    }
    const float y = corner.y + (pitch - ImGui::GetFontSize()) / 2;
    const float keys = ImGui::CalcTextSize(row.keys.c_str()).x;
    const float right = corner.x + width - indent;
    list->PushClipRect(corner, {right - keys - indent, corner.y + pitch}, true);
    list->AddText({corner.x + indent, y},
                  packed(i == chosen_ ? ColourRole::kStrong : ColourRole::kText, desk.theme()),
                  row.name.c_str());
    list->PopClipRect();
    list->AddText({right - keys, y}, packed(ColourRole::kDim, desk.theme()), row.keys.c_str());
    if (clicked) {
      run(found[i]);
      return;
    }
  }
}

void CommandPalette::draw(Desk& desk) {
  if (std::exchange(desk.palette_wanted, false)) {
    open_ = !open_;
    opened_now_ = open_;
    words_ = {};
    chosen_ = 0;
    if (open_) rows_ = palette_rows(desk);
  }
  if (!open_) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(desk.px(560), screen.x - desk.px(32));
  ImGui::SetNextWindowPos({screen.x / 2, desk.px(kTopBarHeight + 8)}, ImGuiCond_Always, {0.5F, 0});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kRaised, desk.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, desk.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(desk.px(12), desk.px(12)));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::Begin("commands", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings);
  const bool first = std::exchange(opened_now_, false);
  if (first) ImGui::SetKeyboardFocusHere();
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::SetNextItemWidth(room);
  if (ImGui::InputTextWithHint("##SearchBox", "Kernels, views, commands", words_.data(),
                               words_.size())) {
    chosen_ = 0;
  }
  const std::vector<std::size_t> found = rows_found(rows_, words_.data());
  const bool moved = !found.empty() && (ImGui::IsKeyPressed(ImGuiKey_DownArrow) ||
                                        ImGui::IsKeyPressed(ImGuiKey_UpArrow));
  if (moved) {
    const bool down = ImGui::IsKeyPressed(ImGuiKey_DownArrow);
    chosen_ = down ? std::min(chosen_ + 1, found.size() - 1) : chosen_ - (chosen_ > 0 ? 1 : 0);
  }
  ImGui::Dummy({0, desk.px(8)});
  const std::size_t in_sight = std::clamp<std::size_t>(found.size(), 1, kRowsInSight);
  const float height = std::min(desk.px(kRow) * static_cast<float>(in_sight),
                                std::max(screen.y - desk.px(kTopBarHeight + 90), desk.px(kRow)));
  ImGui::BeginChild("found", {room, height});
  if (moved) {
    const float top = desk.px(kRow) * static_cast<float>(chosen_);
    if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
    if (top + desk.px(kRow) > ImGui::GetScrollY() + height) {
      ImGui::SetScrollY(top + desk.px(kRow) - height);
    }
  }
  if (found.empty())
    ImGui::TextUnformatted("  Nothing found. Try \"banks\", \"transpose\" or a kernel's name.");
  draw_rows(desk, found, ImGui::GetContentRegionAvail().x);
  ImGui::EndChild();
  if (open_ && !found.empty() && ImGui::IsKeyPressed(ImGuiKey_Enter)) run(found[chosen_]);
  const bool focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
  if ((!focused && !first) || ImGui::IsKeyPressed(ImGuiKey_Escape)) open_ = false;
  ImGui::End();
  ImGui::PopStyleVar(4);
  ImGui::PopStyleColor();
}

}  // namespace tilescope
