#include "ui/dialogs/command_palette.h"

#include <imcmd_fuzzy_search.h>
#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "session/glossary.h"
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

// The rows that `score` gives a number, the largest first.
std::vector<std::size_t> best_rows(
    const std::vector<PaletteRow>& rows,
    const std::function<std::optional<int>(const PaletteRow&)>& score) {
  std::vector<std::pair<int, std::size_t>> scored;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (const auto points = score(rows[row])) scored.emplace_back(*points, row);
  }
  std::ranges::stable_sort(scored, std::ranges::greater{}, &std::pair<int, std::size_t>::first);
  std::vector<std::size_t> found;
  for (const auto& [points, row] : scored) found.push_back(row);
  return found;
}

// nullopt: the name does not have the letters in this order.
std::optional<int> fuzzy_score(const std::string& name, std::string_view letters) {
  const std::string pattern(letters);
  std::array<std::uint8_t, 128> matches{};
  int count = 0;
  int score = 0;
  const bool some = ImCmd::FuzzySearch(pattern.c_str(), name.c_str(), score, matches.data(),
                                       static_cast<int>(matches.size()), count);
  if (!some || static_cast<std::size_t>(count) < pattern.size()) return std::nullopt;
  return score;
}

}  // namespace

std::vector<PaletteRow> palette_rows(WindowState& state) {
  std::vector<PaletteRow> rows;
  for (const Command& command : state.commands) {
    const std::string title = command.title ? command.title(state) : command.name;
    if (title.ends_with(": nothing")) continue;
    rows.push_back({title,
                    keys_of(command),
                    [&state, act = command.act] { act(state); },
                    {.name = title, .more = command.more}});
  }
  for (const std::string& file : state.session.recent()) {
    const std::string name = "Open recent: " + file;
    rows.push_back({name, "", [&state, file] { open_path(state, file); }, {.name = name}});
  }
  for (const Exercise& exercise : state.practice.library().exercises) {
    rows.push_back({"Exercise: " + exercise.title, "",
                    [&state, name = exercise.name] { state.practice.open(state, name); },
                    searched_text(exercise)});
  }
  for (const Lesson& lesson : state.learn.library().lessons) {
    rows.push_back({"Lesson: " + lesson.title, "",
                    [&state, name = lesson.name] { state.learn.open(state, name); },
                    searched_text(lesson)});
  }
  for (const GlossaryEntry& entry : state.glossary.entries()) {
    rows.push_back({"Term: " + entry.term, "",
                    [&state, term = entry.term] { open_help(state, term); }, searched_text(entry)});
  }
  return rows;
}

std::vector<std::size_t> rows_found(const std::vector<PaletteRow>& rows, std::string_view words) {
  if (words.empty()) {
    std::vector<std::size_t> all(rows.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  const auto found = best_rows(rows, [&](const PaletteRow& row) -> std::optional<int> {
    const int score = match_words(words, row.searched);
    return score > 0 ? std::optional(score) : std::nullopt;
  });
  if (!found.empty()) return found;
  return best_rows(rows, [&](const PaletteRow& row) { return fuzzy_score(row.name, words); });
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
  if (ImGui::InputTextWithHint("##SearchBox", "Kernels, views, terms, commands", words_.data(),
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
    ImGui::TextUnformatted("  Nothing found. Try \"banks\", \"wavefront\" or a kernel's name.");
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
