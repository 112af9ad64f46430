#include "ui/source/source_editor.h"

#include <TextEditor.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/source/source_languages.h"
#include "ui/workbench/workbench.h"

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
  set(Colour::lineNumber, ColourRole::kDim);
  set(Colour::currentLineNumber, ColourRole::kText);
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

// What the lines of the text, counted from 0, are in the source that was studied.
struct StudiedLines {
  const SourceView& view;
  [[nodiscard]] std::uint32_t of(std::size_t line) const {
    const auto own = static_cast<std::uint32_t>(line) + 1;
    return view.lines != nullptr ? view.lines->before(own) : own;
  }
  [[nodiscard]] bool executes(std::size_t line) const {
    return view.executing_line != 0 && of(line) == view.executing_line;
  }
  [[nodiscard]] bool is_chosen(std::size_t line) const { return is_of(line, view.chosen_line); }
  [[nodiscard]] bool is_hovered(std::size_t line) const { return is_of(line, view.hovered_line); }
  // Whether it is, or comes from, a line of the kernel.
  [[nodiscard]] bool is_of(std::size_t line, std::uint32_t of_kernel) const {
    if (of_kernel == 0) return false;
    if (view.origins == nullptr) return of(line) == of_kernel;
    return line < view.origins->size() && (*view.origins)[line] == of_kernel;
  }
  // nullptr: nothing is known of it.
  [[nodiscard]] const LineHeat* heat(std::size_t line) const {
    const std::uint32_t own = of(line);
    if (view.heat == nullptr || own == 0 || own > view.heat->size()) return nullptr;
    const LineHeat& heat = (*view.heat)[own - 1];
    return heat.words.empty() ? nullptr : &heat;
  }
};

// Where the text is drawn on the screen, and how.
struct TextRoom {
  ImVec2 corner;
  ImVec2 end;
  Theme theme;
  float scale;
  float cut = 0;  // where long lines end
};

constexpr float kFade = 28;

ColourRole ground_of(const StudiedLines& lines, std::size_t line) {
  const bool is_raised = lines.is_chosen(line) || lines.is_hovered(line);
  return lines.executes(line) ? ColourRole::kHover
         : is_raised          ? ColourRole::kRaised
                              : ColourRole::kPanel;
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
  bool laid_out = false;  // drawn since its text was set
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

  // Bands lie under the text, so they are drawn before it, where the text stood in the last frame.
  void draw_bands(ImDrawList* list, const SourceView& view, const TextRoom& room) const {
    const StudiedLines lines{view};
    const std::size_t last = std::min(editor.GetLastVisibleRow() + 2, editor.GetLineCount());
    for (std::size_t line = editor.GetFirstVisibleRow(); line < last; ++line) {
      if (ground_of(lines, line) == ColourRole::kPanel) continue;
      const float y = top_of(line);
      list->AddRectFilled({room.corner.x, y}, {room.end.x, y + editor.GetLineHeight()},
                          packed(ground_of(lines, line), room.theme));
    }
  }

  // The mark of the line at whose number or underlined words the mouse is; nullptr: none.
  [[nodiscard]] const SourceMark* mark_at(std::size_t line, const SourceView& view) const {
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

  // What lies over the lines in sight, and what the mouse does there. `lead`: lead() while the
  // text's font was set.
  [[nodiscard]] SourceTouch draw_lines(ImDrawList* over, const SourceView& view,
                                       const TextRoom& room, float lead) const {
    const StudiedLines lines{view};
    const float pitch = editor.GetLineHeight();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool hovered = ImGui::IsMouseHoveringRect(room.corner, room.end) &&
                         ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
    SourceTouch touch;
    const std::size_t last = std::min(editor.GetLastVisibleRow() + 1, editor.GetLineCount());
    for (std::size_t line = editor.GetFirstVisibleRow(); line < last; ++line) {
      const float y = editor.DocPos2ScreenPos({line, 0}).y - lead;
      if (std::ranges::find(marked_lines, line) != marked_lines.end()) {
        over->AddRectFilled({room.corner.x, y}, {room.corner.x + 3 * room.scale, y + pitch},
                            mark_colour);
      }
      if (lines.executes(line)) {
        over->AddRectFilled({room.corner.x, y}, {room.corner.x + 2 * room.scale, y + pitch},
                            packed(ColourRole::kFirst, room.theme));
      }
      const bool here = hovered && mouse.y >= y && mouse.y < y + pitch;
      if (here) touch.hovered = static_cast<std::uint32_t>(line) + 1;
      const SourceMark* mark = here ? mark_at(line, view) : nullptr;
      if (mark != nullptr) show_words(mark->words, room.scale);
      if (here && ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
          !editor.AnyCursorHasSelection()) {
        touch.clicked = static_cast<std::uint32_t>(line) + 1;
        touch.on_mark = mark != nullptr;
      }
      fade(over, room, line, y, ground_of(lines, line));
      draw_heat(over, view, room, line, y, here && mark == nullptr);
    }
    return touch;
  }

  // A line that goes on past the edge fades out there instead of ending in half a letter.
  void fade(ImDrawList* over, const TextRoom& room, std::size_t line, float y,
            ColourRole ground) const {
    const float end = editor.DocPos2ScreenPos({line, editor.GetLineText(line).size()}).x;
    if (end <= room.cut) return;
    const ImU32 clear = packed(Paint(ground, 0), room.theme);
    const ImU32 full = packed(ground, room.theme);
    over->AddRectFilledMultiColor({room.cut - kFade * room.scale, y},
                                  {room.cut, y + editor.GetLineHeight()}, clear, full, full, clear);
  }

  void draw_heat(ImDrawList* over, const SourceView& view, const TextRoom& room, std::size_t line,
                 float y, bool may_tell) const {
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

double SourceEditor::first_line() const {
  if (shown_from_ > 0) return shown_from_;
  return next_top_line_ > 0 ? next_top_line_ : top_line_;
}

// Text, colours, marks and what is in sight, as the view wants them.
void SourceEditor::fill(Page& page, const SourceView& view, Theme theme) {
  TextEditor& editor = page.editor;
  bool anew = false;
  if (page.shown != *view.text) {
    page.shown = *view.text;
    editor.SetText(page.shown);
    page.brought_to_view = 0;
    page.laid_out = false;
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
  TextRoom text{corner, {corner.x + room.x, corner.y + room.y}, theme, scale};
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float pitch = editor.GetLineHeight();
  list->PushClipRect(text.corner, text.end, true);
  if (editor.GetLineCount() > 0 && pitch > 0) page.draw_bands(list, view, text);
  list->PopClipRect();
  // A text that was just set goes to its top when it is drawn, and its height is known after that.
  if (next_top_line_ > 0 && pitch > 0 && page.laid_out) {
    const double top = std::exchange(next_top_line_, 0) - 1;
    ImGui::SetNextWindowScroll({-1, std::round(static_cast<float>(top) * pitch)});
  }
  // The bars stand in a column of their own, beside the text.
  const bool heated = view.heat != nullptr && std::ranges::any_of(*view.heat, [](const auto& heat) {
                        return !heat.words.empty();
                      });
  const float column = heated ? view.heat_width * scale : 0;
  editor.Render(page.language.name.c_str(), {room.x - column, room.y});
  page.laid_out = true;
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
  text.cut = children.empty() ? text.end.x - column : children.back()->InnerClipRect.Max.x;
  over->PushClipRect(text.corner, text.end, false);
  SourceTouch touch = page.draw_lines(over, view, text, lead);
  over->PopClipRect();
  if (std::exchange(page.typed, false) && view.editable) {
    page.shown = editor.GetText();
    touch.edited = page.shown;
  }
  return touch;
}

}  // namespace tilescope
