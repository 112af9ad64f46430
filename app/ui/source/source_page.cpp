#include "ui/source/source_page.h"

#include <algorithm>
#include <cmath>

#include "ui/drawing/style.h"

namespace tilescope {
namespace {

constexpr float kFade = 28;

ColourRole ground_of(const StudiedLines& lines, std::size_t line) {
  const bool is_raised = lines.is_chosen(line) || lines.is_hovered(line);
  return lines.executes(line) ? ColourRole::kHover
         : is_raised          ? ColourRole::kRaised
                              : ColourRole::kPanel;
}

void show_words(const std::string& words, float scale) {
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(400 * scale);
  ImGui::TextUnformatted(words.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace

TextEditor::Palette source_palette(Theme theme) {
  using Colour = TextEditor::Color;
  TextEditor::Palette palette{};
  const auto set = [&](Colour which, Paint paint) {
    palette[static_cast<std::size_t>(which)] = packed(paint, theme);
  };
  const Paint none(ColourRole::kPanel, 0);
  palette.fill(packed(ColourRole::kText, theme));
  set(Colour::keyword, ColourRole::kFirst);
  set(Colour::declaration, ColourRole::kSecond);
  set(Colour::number, ColourRole::kSecond);
  set(Colour::string, ColourRole::kThird);
  set(Colour::punctuation, ColourRole::kText);
  set(Colour::preprocessor, ColourRole::kDim);
  set(Colour::identifier, ColourRole::kText);
  set(Colour::knownIdentifier, ColourRole::kThird);
  set(Colour::comment, ColourRole::kDim);
  set(Colour::background, none);
  set(Colour::cursor, ColourRole::kStrong);
  set(Colour::selection, Paint(ColourRole::kFirst, 0.3F));
  set(Colour::lineNumber, ColourRole::kDim);
  set(Colour::currentLineNumber, ColourRole::kText);
  set(Colour::currentLineHighlight, none);
  set(Colour::currentLineHighlightBorder, none);
  return palette;
}

std::pair<std::size_t, std::size_t> letters_of(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string::npos) return {0, 0};
  return {first, line.find_last_not_of(" \t") + 1};
}

SourcePage::SourcePage(TextEditor::Language l) : language(std::move(l)) {
  editor.SetReadOnlyEnabled(true);
  editor.SetCaretsVisible(false);
  editor.SetShowWhitespacesEnabled(false);
  editor.SetShowCurrentLineHighlightEnabled(false);
  editor.SetShowMatchingBrackets(false);
  editor.SetShowScrollbarMiniMapEnabled(false);
  editor.SetCompletePairedGlyphs(false);
  editor.SetLineSpacing(1.6F);
  editor.SetTabSize(2);
  editor.SetInsertSpacesOnTabs(true);
  editor.SetLanguage(&language);
  editor.SetCustomLineNumberRenderer([this](const auto& box) { draw_number(box); });
  editor.SetTransactionCallback([this](const auto& changes) { typed = !changes.empty(); });
}

void SourcePage::draw_number(const TextEditor::CustomLineNumber& box) const {
  const bool marked = std::ranges::find(marked_lines, box.lineNumber) != marked_lines.end();
  const std::string number = std::to_string(box.lineNumber + 1);
  const auto blanks = static_cast<float>(box.digits - std::min(box.digits, number.size()));
  box.drawList->AddText({box.pos.x + blanks * editor.GetGlyphWidth(), box.pos.y},
                        marked ? mark_colour : box.color, number.c_str());
}

float SourcePage::lead() const {
  return std::floor((editor.GetLineHeight() - ImGui::GetFontSize()) / 2);
}

float SourcePage::top_of(std::size_t line) const {
  return editor.DocPos2ScreenPos({line, 0}).y - lead();
}

std::pair<TextEditor::DocPos, TextEditor::DocPos> SourcePage::span_of(
    const SourceMark& mark) const {
  const std::size_t line = mark.line - 1;
  const auto [first, last] = letters_of(editor.GetLineText(line));
  const auto column = static_cast<std::size_t>(std::max(mark.column, 1)) - 1;
  if (mark.column == 0 || column < first || column >= last) return {{line, first}, {line, last}};
  const TextEditor::DocPos end = editor.FindWordEnd({line, column});
  return {{line, column}, {line, std::max(end.index, column + 1)}};
}

void SourcePage::underline(const std::vector<SourceMark>& marks, Theme theme) {
  editor.ClearSquiggles();
  marked_lines.clear();
  mark_colour = packed(ColourRole::kExcess, theme);
  for (const SourceMark& mark : marks) {
    if (mark.line == 0 || mark.line > editor.GetLineCount()) continue;
    const auto [first, last] = span_of(mark);
    editor.AddSquiggle(first, last, 0, mark_colour);
    marked_lines.push_back(mark.line - 1);
  }
}

void SourcePage::find_places(const SourceView& view) {
  const std::size_t count = places.size();
  places.clear();
  if (view.origins != nullptr) places = runs_of(*view.origins, view.chosen_line);
  if (places.empty()) return;
  const bool anew = view.chosen_line != chosen_before || places.size() != count;
  const bool moved = anew || view.executing_line != brought_to_view;
  if (clicked != 0) {
    place = nearest_run(places, {clicked, clicked});
  } else if (moved && StudiedLines{view}.executes_chosen()) {
    place = nearest_run(places, {view.executing_line, view.executing_line});
  } else if (anew) {
    place = nearest_run(places, {static_cast<std::uint32_t>(editor.GetFirstVisibleRow()) + 1,
                                 static_cast<std::uint32_t>(editor.GetLastVisibleRow()) + 1});
  }
}

bool SourcePage::take_steps() {
  const int by = std::exchange(steps, 0);
  if (by == 0 || places.empty()) return false;
  const auto count = static_cast<int>(places.size());
  place = static_cast<std::size_t>(((static_cast<int>(place) + by) % count + count) % count);
  return true;
}

std::uint32_t SourcePage::meant_line(const SourceView& view) const {
  if (view.chosen_line == 0) return 0;
  if (view.origins != nullptr) return places.empty() ? 0 : places[place].first;
  return view.lines != nullptr ? view.lines->now(view.chosen_line) : view.chosen_line;
}

bool SourcePage::is_meant(std::size_t line) const {
  return places.size() > 1 && places[place].has(static_cast<std::uint32_t>(line) + 1);
}

void SourcePage::draw_bands(ImDrawList* list, const SourceView& view, const TextRoom& room) const {
  const StudiedLines lines{view};
  const std::size_t last = std::min(editor.GetLastVisibleRow() + 2, editor.GetLineCount());
  for (std::size_t line = editor.GetFirstVisibleRow(); line < last; ++line) {
    if (ground_of(lines, line) == ColourRole::kPanel) continue;
    const float y = top_of(line);
    list->AddRectFilled({room.corner.x, y}, {room.end.x, y + editor.GetLineHeight()},
                        packed(ground_of(lines, line), room.theme));
  }
}

const SourceMark* SourcePage::mark_at(std::size_t line, const SourceView& view) const {
  if (view.marks == nullptr) return nullptr;
  const float mouse = ImGui::GetIO().MousePos.x;
  for (const SourceMark& mark : *view.marks) {
    if (mark.line != line + 1) continue;
    const auto [from, to] = span_of(mark);
    const bool number = mouse < editor.DocPos2ScreenPos({line, 0}).x;
    const bool words =
        mouse >= editor.DocPos2ScreenPos(from).x && mouse <= editor.DocPos2ScreenPos(to).x;
    if (number || words) return &mark;
  }
  return nullptr;
}

void SourcePage::draw_lines(ImDrawList* over, const SourceView& view, const TextRoom& room,
                            float lead, SourceTouch& touch) {
  const StudiedLines lines{view};
  const float pitch = editor.GetLineHeight();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered = ImGui::IsMouseHoveringRect(room.corner, room.end) &&
                       ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
  const std::size_t last = std::min(editor.GetLastVisibleRow() + 1, editor.GetLineCount());
  for (std::size_t line = editor.GetFirstVisibleRow(); line < last; ++line) {
    const float y = editor.DocPos2ScreenPos({line, 0}).y - lead;
    if (std::ranges::find(marked_lines, line) != marked_lines.end()) {
      over->AddRectFilled({room.corner.x, y}, {room.corner.x + 3 * room.scale, y + pitch},
                          mark_colour);
    }
    if (lines.executes(line) || is_meant(line)) {
      over->AddRectFilled(
          {room.corner.x, y}, {room.corner.x + 2 * room.scale, y + pitch},
          packed(lines.executes(line) ? ColourRole::kFirst : ColourRole::kStrong, room.theme));
    }
    const bool here = hovered && mouse.y >= y && mouse.y < y + pitch;
    if (here) touch.hovered = static_cast<std::uint32_t>(line) + 1;
    const SourceMark* mark = here ? mark_at(line, view) : nullptr;
    if (mark != nullptr) show_words(mark->words, room.scale);
    if (here && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !editor.AnyCursorHasSelection()) {
      touch.clicked = static_cast<std::uint32_t>(line) + 1;
      touch.on_mark = mark != nullptr;
      clicked = touch.clicked;
    }
    fade(over, room, line, y, ground_of(lines, line));
    draw_heat(over, view, room, line, y, here && mark == nullptr);
  }
}

void SourcePage::fade(ImDrawList* over, const TextRoom& room, std::size_t line, float y,
                      ColourRole ground) const {
  const float end = editor.DocPos2ScreenPos({line, editor.GetLineText(line).size()}).x;
  if (end <= room.cut) return;
  const ImU32 clear = packed(Paint(ground, 0), room.theme);
  const ImU32 full = packed(ground, room.theme);
  over->AddRectFilledMultiColor({room.cut - kFade * room.scale, y},
                                {room.cut, y + editor.GetLineHeight()}, clear, full, full, clear);
}

void SourcePage::draw_heat(ImDrawList* over, const SourceView& view, const TextRoom& room,
                           std::size_t line, float y, bool may_tell) const {
  const LineHeat* heat = StudiedLines{view}.heat(line);
  if (heat == nullptr) return;
  const float pitch = editor.GetLineHeight();
  const float right = room.end.x - 10 * room.scale;
  const float widest = (view.heat_width - 20) * room.scale;
  const auto bar = [&](float from, float to, Paint paint) {  // from the right, in parts
    if (to - from <= 0) return;
    over->AddRectFilled({right - to * widest, y + pitch * 0.22F},
                        {right - from * widest, y + pitch * 0.78F}, packed(paint, room.theme),
                        2 * room.scale);
  };
  const float length = std::max(heat->part, 2 * room.scale / widest);  // never too thin to see
  if (heat->least == 0) {
    bar(0, length, Paint::heat(0.42F + 0.4F * heat->part));
  } else {
    bar(0, heat->part < length ? length : heat->least, ColourRole::kIdeal);
    bar(heat->least, heat->part, ColourRole::kExcess);
  }
  if (may_tell && ImGui::GetIO().MousePos.x > room.end.x - view.heat_width * room.scale) {
    ImGui::SetTooltip("%s", heat->words.c_str());
  }
}

}  // namespace tilescope
