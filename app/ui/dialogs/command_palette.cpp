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

std::vector<PaletteRow> palette_rows(WindowState& state) {
  std::vector<PaletteRow> rows;
  for (const Command& command : state.commands) {
    const std::string title = command.title ? command.title(state) : command.name;
    if (title.ends_with(": nothing")) continue;
    rows.push_back({title, keys_of(command), [&state, act = command.act] { act(state); }});
  }
  for (const std::string& file : state.session.recent()) {
    rows.push_back({"Open recent: " + file, "", [&state, file] { open_path(state, file); }});
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

void CommandPalette::draw_rows(WindowState& state, const std::vector<std::size_t>& found,
                               float width) {
  const float pitch = state.px(kRow);
  const float indent = state.px(10);
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
                          packed(ColourRole::kHover, state.theme()), state.px(4));
    }
    const float y = corner.y + (pitch - ImGui::GetFontSize()) / 2;
    const float keys = ImGui::CalcTextSize(row.keys.c_str()).x;
    const float right = corner.x + width - indent;
    list->PushClipRect(corner, {right - keys - indent, corner.y + pitch}, true);
    list->AddText({corner.x + indent, y},
                  packed(i == chosen_ ? ColourRole::kStrong : ColourRole::kText, state.theme()),
                  row.name.c_str());
    list->PopClipRect();
    list->AddText({right - keys, y}, packed(ColourRole::kDim, state.theme()), row.keys.c_str());
    if (clicked) {
      run(found[i]);
      return;
    }
  }
}

void CommandPalette::draw(WindowState& state) {
  if (std::exchange(state.palette_wanted, false)) {
    open_ = !open_;
    opened_now_ = open_;
    words_ = {};
    chosen_ = 0;
    if (open_) rows_ = palette_rows(state);
  }
  if (!open_) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(state.px(560), screen.x - state.px(32));
  ImGui::SetNextWindowPos({screen.x / 2, state.px(kTopBarHeight + 8)}, ImGuiCond_Always, {0.5F, 0});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kRaised, state.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, state.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(state.px(12), state.px(12)));
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
  ImGui::Dummy({0, state.px(8)});
  const std::size_t in_sight = std::clamp<std::size_t>(found.size(), 1, kRowsInSight);
  const float height = std::min(state.px(kRow) * static_cast<float>(in_sight),
                                std::max(screen.y - state.px(kTopBarHeight + 90), state.px(kRow)));
  ImGui::BeginChild("found", {room, height});
  if (moved) {
    const float top = state.px(kRow) * static_cast<float>(chosen_);
    if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
    if (top + state.px(kRow) > ImGui::GetScrollY() + height) {
      ImGui::SetScrollY(top + state.px(kRow) - height);
    }
  }
  if (found.empty())
    ImGui::TextUnformatted("  Nothing found. Try \"banks\", \"transpose\" or a kernel's name.");
  draw_rows(state, found, ImGui::GetContentRegionAvail().x);
  ImGui::EndChild();
  if (open_ && !found.empty() && ImGui::IsKeyPressed(ImGuiKey_Enter)) run(found[chosen_]);
  const bool focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
  if ((!focused && !first) || ImGui::IsKeyPressed(ImGuiKey_Escape)) open_ = false;
  ImGui::End();
  ImGui::PopStyleVar(4);
  ImGui::PopStyleColor();
}

}  // namespace tilescope
