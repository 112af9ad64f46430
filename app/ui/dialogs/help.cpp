#include "ui/dialogs/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scene/views.h"
#include "session/glossary.h"
#include "session/taught_term.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/state/actions.h"
#include "ui/state/layout.h"
#include "ui/state/panel_surface.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

constexpr float kHelpRow = 21;
constexpr float kLeastHelpRow = 15;
constexpr float kHelpColumn = 500;
constexpr float kMargin = 24;      // inside the window
constexpr float kHeadHeight = 84;  // title, tabs and search
constexpr float kListWidth = 230;
constexpr float kTermRow = 22;
constexpr float kIndent = 8;
constexpr float kLectureText = 1.4F;  // an entry is read from the back of the room
constexpr float kHelpTop = 8;         // the middle of the first line
constexpr float kHelpGap = 10;        // before a heading

// A heading where there are no words.
struct HelpLine {
  std::string keys;
  std::string words{};
  std::optional<Source> mark{};  // in the place of keys
};
// Session, views and kernels; time, what is chosen, lectures, and the marks of numbers.
using HelpColumns = std::array<std::vector<HelpLine>, 2>;

HelpColumns help_columns(const std::vector<Command>& commands) {
  static constexpr std::array<std::pair<CommandGroup, const char*>, 7> kGroups{{
      {CommandGroup::kSession, "Session"},
      {CommandGroup::kLesson, "Lessons"},
      {CommandGroup::kKernel, "Kernel"},
      {CommandGroup::kView, "View"},
      {CommandGroup::kTime, "Time"},
      {CommandGroup::kChoice, "Selection"},
      {CommandGroup::kLecture, "Lecture"},
  }};
  HelpColumns columns;
  for (const auto& [group, title] : kGroups) {
    const bool right = group == CommandGroup::kTime || group == CommandGroup::kChoice ||
                       group == CommandGroup::kLecture;
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

// What stands above the line, from the middle of the one before, in rows of this height.
float help_pitch(const HelpLine& line, bool first, float row) {
  if (first) return kHelpTop;
  return line.words.empty() ? row + kHelpGap : row;
}

// Of the longer column.
float help_height(const HelpColumns& columns, float row) {
  float most = 0;
  for (const std::vector<HelpLine>& lines : columns) {
    float height = kHelpTop;  // below the last line
    for (const HelpLine& line : lines) height += help_pitch(line, &line == &lines.front(), row);
    most = std::max(most, height);
  }
  return most;
}

// As high as there is room for, within what can be read.
float row_height(const HelpColumns& columns, float room) {
  float row = kHelpRow;
  while (row > kLeastHelpRow && help_height(columns, row) > room) row -= 0.5F;
  return row;
}

void draw_lines(PanelSurface& surface, float x, const std::vector<HelpLine>& lines, float row) {
  float y = 0;
  for (const HelpLine& line : lines) {
    y += help_pitch(line, &line == &lines.front(), row);
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

// The keys; where the window is small the rows are closer, and scroll at the worst.
void draw_keys(WindowState& state) {
  const HelpColumns columns = help_columns(state.commands);
  ImGui::BeginChild("keys");
  PanelSurface surface(state);
  const float row = row_height(columns, surface.height());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    draw_lines(surface, static_cast<float>(i) * kHelpColumn, columns[i], row);
  }
  surface.finish(help_height(columns, row));
  ImGui::EndChild();
}

// What the list shows: all entries in their order, or those that a search found.
std::vector<const GlossaryEntry*> listed_entries(const WindowState& state) {
  if (!state.help.words.empty()) return state.glossary.search(state.help.words);
  std::vector<const GlossaryEntry*> all;
  for (const GlossaryEntry& entry : state.glossary.entries()) all.push_back(&entry);
  return all;
}

// The entry at the right: the one that was chosen as long as it is listed, else the first.
const GlossaryEntry* shown_entry(const WindowState& state,
                                 const std::vector<const GlossaryEntry*>& listed) {
  const auto chosen = std::ranges::find(listed, state.help.term, &GlossaryEntry::term);
  if (chosen != listed.end()) return *chosen;
  return listed.empty() ? nullptr : listed.front();
}

// Up and Down choose the entry before and after, also while the search has the focus.
void move_choice(HelpState& help, const std::vector<const GlossaryEntry*>& listed,
                 const GlossaryEntry* shown) {
  const int by = static_cast<int>(ImGui::IsKeyPressed(ImGuiKey_DownArrow)) -
                 static_cast<int>(ImGui::IsKeyPressed(ImGuiKey_UpArrow));
  if (by == 0 || shown == nullptr) return;
  const auto at = std::ranges::find(listed, shown) - listed.begin() + by;
  if (at < 0 || at >= static_cast<std::ptrdiff_t>(listed.size())) return;
  help.term = listed[static_cast<std::size_t>(at)]->term;
  help.term_in_sight = true;
}

void draw_list(WindowState& state, const std::vector<const GlossaryEntry*>& listed,
               const GlossaryEntry* shown) {
  PanelSurface surface(state);
  const bool grouped = state.help.words.empty();
  float y = kTermRow / 2;
  const std::string* group = nullptr;
  for (const GlossaryEntry* entry : listed) {
    if (grouped && (group == nullptr || *group != entry->group)) {
      if (group != nullptr) y += kHelpGap;
      surface.text(kIndent, y, entry->group, heading_style());
      y += kTermRow;
    }
    group = &entry->group;
    const Rect row{0, y - kTermRow / 2, surface.width() - 4, kTermRow};
    ImGui::PushID(entry->term.c_str());
    const Touch touch = surface.control("term", row);
    ImGui::PopID();
    if (touch.clicked) state.help.term = entry->term;
    const bool chosen = entry == shown;
    if (chosen || touch.hovered) {
      surface.canvas().fill_rect(row, chosen ? ColourRole::kHover : ColourRole::kPanel, 4);
    }
    if (chosen && state.help.term_in_sight) {
      ImGui::SetScrollFromPosY(surface.screen({0, y}).y - ImGui::GetWindowPos().y);
      state.help.term_in_sight = false;
    }
    surface.fitted(kIndent, row.right(), y, entry->term,
                   styled(12.5F, chosen ? ColourRole::kStrong : ColourRole::kText,
                          chosen ? Weight::kSemibold : Weight::kRegular));
    y += kTermRow;
  }
  surface.finish(y);
}

// A field of an entry, its name above it. Returns the y below.
float draw_field(PanelSurface& surface, float y, std::string_view name, std::string_view text,
                 const TextStyle& style) {
  if (text.empty()) return y;
  surface.text(0, y, name, heading_style());
  return surface.paragraph(0, y + 18, surface.width() - kIndent, text, style) + kHelpGap;
}

void draw_entry(WindowState& state, const GlossaryEntry& entry) {
  PanelSurface surface(state, state.lecture ? kLectureText : 1.0F);
  const TextStyle body = styled(13, ColourRole::kText);
  const float room = surface.width() - kIndent;
  float y = 12;
  surface.text(0, y, entry.term, styled(17, ColourRole::kStrong, Weight::kSemibold));
  y = surface.paragraph(0, y + 30, room, entry.definition, styled(14, ColourRole::kText)) + 12;
  if (entry.example) {
    const GlossaryExample& example = *entry.example;
    const CatalogueEntry* kernel = state.workbench.catalogue().find(example.kernel);
    const auto view = parse_view(example.view);
    const std::string words = "Show " + words_of(example);
    const float width =
        std::min(surface.canvas().text_width(words, styled(12.5F, ColourRole::kText)) + 36, room);
    const Rect button{0, y, width, 28};
    if (surface.push("try", button, words, true) && kernel != nullptr && view) {
      show_example(state, *kernel, *view, example.parameters);
      state.help.open = false;
    }
    surface.explain(button, "Opens this kernel in this view. Ctrl Z brings back what was open.");
    y += 28 + 12;
  }
  if (const auto& taught = state.learn.taught(entry, state.glossary)) {
    const std::string words = "Learn: " + words_of(*taught);
    const float width =
        std::min(surface.canvas().text_width(words, styled(12.5F, ColourRole::kText)) + 36, room);
    const Rect button{0, y, width, 28};
    if (surface.push("learn term", button, words, true)) {
      state.learn.open(state, taught->lesson->name, static_cast<int>(taught->step));
      state.help.open = false;
    }
    surface.explain(button, "Opens the lesson at this step. What you have open comes back.");
    y += 28 + 24;
  }
  y = draw_field(surface, y, "UNIT", entry.unit, body);
  y = draw_field(surface, y, "HOW IT IS COUNTED HERE", entry.counted, body);
  y = draw_field(surface, y, "HARDWARE COUNTERS", fmt::format("{}", fmt::join(entry.metrics, ", ")),
                 styled(11.5F, ColourRole::kText, Weight::kRegular, Align::kLeft, Font::kMono));
  y = draw_field(surface, y, "ALSO CALLED", fmt::format("{}", fmt::join(entry.also, ", ")), body);
  surface.finish(y);
}

void draw_terms(WindowState& state) {
  const std::vector<const GlossaryEntry*> listed = listed_entries(state);
  move_choice(state.help, listed, shown_entry(state, listed));
  const GlossaryEntry* shown = shown_entry(state, listed);
  if (shown == nullptr) {
    PanelSurface surface(state);
    surface.finish(
        surface.paragraph(0, 16, surface.width(),
                          "Nothing found. Try \"bank\", \"coalesced\" or the name of a counter.",
                          styled(13, ColourRole::kDim)));
    return;
  }
  ImGui::BeginChild("list", {state.px(kListWidth), 0});
  draw_list(state, listed, shown);
  ImGui::EndChild();
  ImGui::SameLine(0, state.px(24));
  ImGui::BeginChild("entry");
  draw_entry(state, *shown);
  ImGui::EndChild();
}

// "Terms" or "Keys". True when pressed.
bool tab_button(PanelSurface& surface, const char* words, const Rect& rect, bool on,
                const char* meaning) {
  const Touch touch = surface.control(words, rect, meaning);
  if (on || touch.hovered) {
    surface.canvas().fill_rect(rect, on ? ColourRole::kHover : ColourRole::kPanel, 6);
  }
  surface.text(
      rect.center().x, rect.center().y, words,
      styled(13, on ? ColourRole::kStrong : ColourRole::kText, Weight::kMedium, Align::kCenter));
  return touch.clicked;
}

// What the program is, the close mark, the search and the tabs.
void draw_head(WindowState& state) {
  HelpState& help = state.help;
  PanelSurface surface(state);
  const float width = surface.width();
  surface.text(0, 12, "Tilescope", styled(17, ColourRole::kStrong, Weight::kSemibold));
  surface.fitted(104, width - 40, 12,
                 "runs a CUDA kernel warp by warp, with or without a GPU, and shows what it does "
                 "and what it costs.",
                 styled(13, ColourRole::kText));
  const Rect close{width - 26, 0, 26, 26};
  const Touch touch = surface.control("close help", close, "Closes Help (Escape).");
  if (touch.hovered) surface.canvas().fill_rect(close, ColourRole::kHover, 6);
  const Point c = close.center();
  for (const float slope : {1.0F, -1.0F}) {
    surface.canvas().line({c.x - 5, c.y - 5 * slope}, {c.x + 5, c.y + 5 * slope}, ColourRole::kText,
                          1.5F);
  }
  if (touch.clicked) help.open = false;
  const bool terms = help.tab == HelpState::Tab::kTerms;
  if (tab_button(surface, "Terms", {0, 38, 72, 28}, terms, "Every term and metric, explained.")) {
    help.tab = HelpState::Tab::kTerms;
  }
  if (tab_button(surface, "Keys", {80, 38, 72, 28}, !terms,
                 "All keys, and the meaning of the number marks.")) {
    help.tab = HelpState::Tab::kKeys;
  }
  const Point corner = surface.screen({kListWidth + 24, 39});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::SetNextItemWidth(state.px(std::min(360.0F, width - kListWidth - 24)));
  if (std::exchange(help.focus_search, false)) ImGui::SetKeyboardFocusHere();
  std::array<char, 128> words{};
  help.words.copy(words.data(), words.size() - 1);
  if (ImGui::InputTextWithHint("##SearchTerms", "Search: bank conflict, l1tex__t_sectors ...",
                               words.data(), words.size())) {
    help.words = words.data();
    help.term.clear();
    help.tab = HelpState::Tab::kTerms;
  }
  const Point below = surface.screen({0, kHeadHeight});
  ImGui::SetCursorScreenPos({below.x, below.y});
}

}  // namespace

void draw_help(WindowState& state) {
  if (!state.help.open) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float most = help_height(help_columns(state.commands), kHelpRow);
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize(
      {std::min(state.px(2 * kHelpColumn + 2 * kMargin), screen.x),
       std::min(state.px(most + kHeadHeight + 2 * kMargin + 8), screen.y - state.px(8))});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kRaised, state.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, state.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(state.px(kMargin), state.px(kMargin)));
  if (ImGui::Begin("Help", &state.help.open,
                   ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove)) {
    draw_head(state);
    if (state.help.tab == HelpState::Tab::kKeys) {
      draw_keys(state);
    } else {
      draw_terms(state);
    }
    const bool outside = !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows |
                                                 ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    if (ImGui::IsKeyPressed(ImGuiKey_Escape) ||
        (ImGui::IsMouseClicked(0) && outside && !ImGui::IsWindowAppearing())) {
      state.help.open = false;
    }
  }
  ImGui::End();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
}

}  // namespace tilescope
