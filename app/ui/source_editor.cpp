#include "ui/source_editor.h"

#include <TextEditor.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/fonts.h"
#include "ui/source_languages.h"
#include "ui/style.h"
#include "ui/workbench.h"

namespace tilescope {
namespace {

TextEditor::Palette palette_of(Theme theme) {
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
  set(Colour::lineNumber, ColourRole::kFaint);
  set(Colour::currentLineNumber, ColourRole::kDim);
  set(Colour::currentLineHighlight, none);
  set(Colour::currentLineHighlightBorder, none);
  return palette;
}

// The letters of a line: without the blanks around them.
std::pair<std::size_t, std::size_t> letters_of(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string::npos) return {0, 0};
  return {first, line.find_last_not_of(" \t") + 1};
}

void show_words(const std::string& words, float scale) {
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(400 * scale);
  ImGui::TextUnformatted(words.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace

struct SourceEditor::Page {
  explicit Page(TextEditor::Language l) : language(std::move(l)) {
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
  TextEditor::Language language;
  TextEditor editor;
  std::string shown;                    // the text that the editor holds
  std::vector<std::string> parameters;  // words with the colour of parameters
  std::uint32_t brought_to_view = 0;
  std::uint32_t chosen_before = 0;
  std::optional<Theme> coloured_for;
  std::pair<const void*, unsigned> marked_for;  // list and version
  std::vector<std::size_t> marked_lines;        // from 0
  ImU32 mark_colour = 0;
  bool typed = false;

  void draw_number(const TextEditor::CustomLineNumber& box) const {
    const bool marked = std::ranges::find(marked_lines, box.lineNumber) != marked_lines.end();
    const std::string number = std::to_string(box.lineNumber + 1);
    const auto blanks = static_cast<float>(box.digits - std::min(box.digits, number.size()));
    box.drawList->AddText({box.pos.x + blanks * editor.GetGlyphWidth(), box.pos.y},
                          marked ? mark_colour : box.color, number.c_str());
  }
  // The text stands at the top of its line; the line is taken around it.
  [[nodiscard]] float lead() const {
    return std::floor((editor.GetLineHeight() - ImGui::GetFontSize()) / 2);
  }
  [[nodiscard]] float top_of(std::size_t line) const {
    return editor.DocPos2ScreenPos({line, 0}).y - lead();
  }
  [[nodiscard]] std::pair<TextEditor::DocPos, TextEditor::DocPos> span_of(
      const SourceMark& mark) const {
    const std::size_t line = mark.line - 1;
    const auto [first, last] = letters_of(editor.GetLineText(line));
    const auto column = static_cast<std::size_t>(std::max(mark.column, 1)) - 1;
    if (mark.column == 0 || column < first || column >= last) return {{line, first}, {line, last}};
    const TextEditor::DocPos end = editor.FindWordEnd({line, column});
    return {{line, column}, {line, std::max(end.index, column + 1)}};
  }
  void underline(const std::vector<SourceMark>& marks, Theme theme) {
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
};

SourceLanguage source_language(const Variant& variant) {
  return variant.file_name().ends_with(".ptx") ? SourceLanguage::kPtx : SourceLanguage::kCuda;
}

SourceEditor::SourceEditor()
    : cuda_(std::make_unique<Page>(cuda_language())),
      ptx_(std::make_unique<Page>(ptx_language())),
      machine_(std::make_unique<Page>(machine_language())) {}
SourceEditor::~SourceEditor() = default;

void SourceEditor::forget_colours() {
  cuda_->coloured_for.reset();
  ptx_->coloured_for.reset();
  machine_->coloured_for.reset();
}

SourceEditor::Page& SourceEditor::page_of(SourceLanguage language) const {
  return language == SourceLanguage::kCuda  ? *cuda_
         : language == SourceLanguage::kPtx ? *ptx_
                                            : *machine_;
}

void SourceEditor::take_focus() {
  if (drawn_ != nullptr) drawn_->editor.SetFocus();
}

bool SourceEditor::typing() const { return typing_frame_ >= ImGui::GetFrameCount() - 1; }

Point SourceEditor::place_of(std::uint32_t line) const {
  if (drawn_ == nullptr || line == 0 || line > drawn_->editor.GetLineCount()) return {0, 0};
  const auto first = letters_of(drawn_->editor.GetLineText(line - 1)).first;
  const ImVec2 place = drawn_->editor.DocPos2ScreenPos({line - 1, first});
  return {place.x, place.y + drawn_->editor.GetLineHeight()};
}

double SourceEditor::first_line() const { return shown_from_ > 0 ? shown_from_ : top_line_; }

// Text, colours, marks and what is in sight, as the view wants them.
void SourceEditor::fill(Page& page, const SourceView& view, Theme theme) {
  TextEditor& editor = page.editor;
  bool anew = false;
  if (page.shown != *view.text) {
    page.shown = *view.text;
    editor.SetText(page.shown);
    page.brought_to_view = 0;
    anew = true;
  }
  editor.SetReadOnlyEnabled(!view.editable);
  editor.SetCaretsVisible(view.editable);
  if (view.parameters != nullptr && page.parameters != *view.parameters) {
    page.parameters = *view.parameters;
    page.language.declarations.clear();
    page.language.declarations.insert(page.parameters.begin(), page.parameters.end());
    editor.SetLanguage(&page.language);
  }
  if (page.coloured_for != theme) {
    editor.SetPalette(palette_of(theme));
    page.coloured_for = theme;
    anew = true;
  }
  const std::pair<const void*, unsigned> marks{view.marks, view.marks_version};
  if (anew || page.marked_for != marks) {
    static const std::vector<SourceMark> kNone;
    page.underline(view.marks != nullptr ? *view.marks : kNone, theme);
    page.marked_for = marks;
  }
  const auto in_sight = [&](std::uint32_t line) {
    return line > editor.GetFirstVisibleRow() + 1 && line < editor.GetLastVisibleRow();
  };
  const auto bring = [&](std::uint32_t line) {
    if (line != 0 && line <= editor.GetLineCount()) {
      editor.ScrollToLine(line - 1, TextEditor::Scroll::alignMiddle);
    }
  };
  const auto first_from = [&](std::uint32_t origin) {
    const auto found = std::ranges::find(*view.origins, origin);
    return found == view.origins->end()
               ? 0U
               : static_cast<std::uint32_t>(found - view.origins->begin()) + 1;
  };
  // Keeps the executing line in sight without moving the text under a reader at every instruction,
  // nor under one who writes.
  if (shown_from_ > 0 && (view.executing_line != 0 || view.origins != nullptr)) {
    next_top_line_ = std::exchange(shown_from_, 0);
    page.brought_to_view = view.executing_line;
    page.chosen_before = view.chosen_line;
  }
  if (view.executing_line != 0 && view.executing_line != page.brought_to_view && !typing()) {
    const std::uint32_t line =
        view.lines != nullptr ? view.lines->now(view.executing_line) : view.executing_line;
    if (page.brought_to_view == 0 || !in_sight(line)) bring(line);
    page.brought_to_view = view.executing_line;
  }
  if (view.origins != nullptr && view.chosen_line != page.chosen_before) {
    const std::uint32_t line = view.chosen_line != 0 ? first_from(view.chosen_line) : 0;
    if (!in_sight(line)) bring(line);
  }
  page.chosen_before = view.chosen_line;
  if (!in_sight(view.sought_line)) bring(view.sought_line);
}

SourceTouch SourceEditor::draw(const SourceView& view, const Fonts& fonts, Theme theme,
                               float scale) {
  Page& page = page_of(view.language);
  drawn_ = &page;
  TextEditor& editor = page.editor;
  fill(page, view, theme);
  ImGui::PushFont(fonts.mono(Weight::kRegular), 12);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImVec2 room = ImGui::GetContentRegionAvail();
  if (view.height > 0) room.y = view.height;
  const ImVec2 end{corner.x + room.x, corner.y + room.y};
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto studied = [&](std::size_t line) {
    const auto own = static_cast<std::uint32_t>(line) + 1;
    return view.lines != nullptr ? view.lines->before(own) : own;
  };
  const auto executes = [&](std::size_t line) {
    return view.executing_line != 0 && studied(line) == view.executing_line;
  };
  const auto is_chosen = [&](std::size_t line) {
    if (view.chosen_line == 0) return false;
    if (view.origins == nullptr) return studied(line) == view.chosen_line;
    return line < view.origins->size() && (*view.origins)[line] == view.chosen_line;
  };
  // Bands lie under the text, so they are drawn before it, where the text stood in the last frame.
  const float pitch = editor.GetLineHeight();
  list->PushClipRect(corner, end, true);
  if (editor.GetLineCount() > 0 && pitch > 0) {
    const std::size_t last = std::min(editor.GetLastVisibleRow() + 2, editor.GetLineCount());
    for (std::size_t line = editor.GetFirstVisibleRow(); line < last; ++line) {
      if (!executes(line) && !is_chosen(line)) continue;
      const float y = page.top_of(line);
      list->AddRectFilled({corner.x, y}, {end.x, y + pitch},
                          packed(executes(line) ? ColourRole::kHover : ColourRole::kRaised, theme));
    }
  }
  list->PopClipRect();
  if (next_top_line_ > 0 && pitch > 0) {
    const double top = std::exchange(next_top_line_, 0) - 1;
    ImGui::SetNextWindowScroll({-1, std::round(static_cast<float>(top) * pitch)});
  }
  // The bars stand in a column of their own, beside the text.
  const bool heated = view.heat != nullptr && std::ranges::any_of(*view.heat, [](const auto& heat) {
                        return !heat.words.empty();
                      });
  const float column = heated ? view.heat_width * scale : 0;
  editor.Render(page.language.name.c_str(), {room.x - column, room.y});
  const float lead = page.lead();
  ImGui::PopFont();
  // Marks lie over the text: in the list of the editor's own window, the last child that was
  // opened.
  const ImVector<ImGuiWindow*>& children = ImGui::GetCurrentWindow()->DC.ChildWindows;
  ImDrawList* over = children.empty() ? list : children.back()->DrawList;
  if (!children.empty() && editor.GetLineHeight() > 0) {
    top_line_ = 1 + static_cast<double>(children.back()->Scroll.y / editor.GetLineHeight());
  }
  if (view.editable && !children.empty() &&
      ImGui::GetCurrentContext()->NavWindow == children.back()) {
    typing_frame_ = ImGui::GetFrameCount();
  }

  over->PushClipRect(corner, end, false);
  const float new_pitch = editor.GetLineHeight();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float right = end.x - 10 * scale;
  SourceTouch touch;
  const std::size_t first = editor.GetFirstVisibleRow();
  const std::size_t last = std::min(editor.GetLastVisibleRow() + 1, editor.GetLineCount());
  const bool hovered = ImGui::IsMouseHoveringRect(corner, end) &&
                       ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
  const auto mark_at = [&](std::size_t line) -> const SourceMark* {
    if (view.marks == nullptr) return nullptr;
    for (const SourceMark& mark : *view.marks) {
      if (mark.line != line + 1) continue;
      const auto [from, to] = page.span_of(mark);
      const bool number = mouse.x < editor.DocPos2ScreenPos({line, 0}).x;
      const bool words =
          mouse.x >= editor.DocPos2ScreenPos(from).x && mouse.x <= editor.DocPos2ScreenPos(to).x;
      if (number || words) return &mark;
    }
    return nullptr;
  };
  for (std::size_t line = first; line < last; ++line) {
    const float y = editor.DocPos2ScreenPos({line, 0}).y - lead;
    if (std::ranges::find(page.marked_lines, line) != page.marked_lines.end()) {
      over->AddRectFilled({corner.x + 3 * scale, y}, {corner.x + 6 * scale, y + new_pitch},
                          page.mark_colour);
    }
    if (executes(line)) {
      over->AddRectFilled({corner.x, y}, {corner.x + 2 * scale, y + new_pitch},
                          packed(ColourRole::kFirst, theme));
    }
    const bool here = hovered && mouse.y >= y && mouse.y < y + new_pitch;
    const SourceMark* mark = here ? mark_at(line) : nullptr;
    if (mark != nullptr) show_words(mark->words, scale);
    if (here && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !editor.AnyCursorHasSelection()) {
      touch.clicked = static_cast<std::uint32_t>(line) + 1;
      touch.on_mark = mark != nullptr;
    }
    const std::uint32_t heat_line = studied(line);
    if (view.heat == nullptr || heat_line == 0 || heat_line > view.heat->size() ||
        (*view.heat)[heat_line - 1].words.empty())
      continue;
    const LineHeat& heat = (*view.heat)[heat_line - 1];
    const float width = std::max(2.0F, heat.part * (view.heat_width - 20)) * scale;
    over->AddRectFilled({right - width, y + new_pitch * 0.22F}, {right, y + new_pitch * 0.78F},
                        packed(Paint::heat(0.42F + 0.4F * heat.part), theme), 2 * scale);
    if (here && mouse.x > end.x - column && mark == nullptr)
      ImGui::SetTooltip("%s", heat.words.c_str());
  }
  over->PopClipRect();
  if (std::exchange(page.typed, false) && view.editable) {
    page.shown = editor.GetText();
    touch.edited = page.shown;
  }
  return touch;
}

}  // namespace tilescope
