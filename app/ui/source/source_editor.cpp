#include "ui/source/source_editor.h"

#include <TextEditor.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scene/drawing/palette.h"
#include "scene/pages/source_page.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

// What the editor colours, for each of the texts that a kernel has.
TextEditor::Language cuda_language() {
  TextEditor::Language language = *TextEditor::Language::Cpp();
  language.name = "CUDA C++";
  // Types join the keywords, so that the colour of declarations is free for a kernel's parameters.
  language.keywords.insert(language.declarations.begin(), language.declarations.end());
  for (const char* word :
       {"__global__", "__device__", "__host__", "__shared__", "__constant__", "__restrict__",
        "__launch_bounds__", "__forceinline__", "__noinline__"}) {
    language.declarations.insert(word);
  }
  for (const char* word :
       {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "__syncthreads", "__syncwarp",
        "__shfl_sync", "__ldg", "float2", "float4", "int2", "int4", "dim3", "TILESCOPE_PHASE"}) {
    language.identifiers.insert(word);
  }
  return language;
}

TextEditor::Language ptx_language() {
  TextEditor::Language language = *TextEditor::Language::C();
  language.name = "PTX";
  language.preprocess = 0;
  language.keywords.clear();
  language.declarations.clear();
  language.identifiers.clear();
  for (const char* word :
       {"ld",   "st",  "mov",  "add",  "sub",    "mul",     "mad",  "fma",  "setp",
        "selp", "bra", "ret",  "exit", "bar",    "barrier", "cp",   "cvta", "cvt",
        "shl",  "shr", "and",  "or",   "xor",    "not",     "min",  "max",  "neg",
        "div",  "rem", "atom", "red",  "membar", "fence",   "shfl", "vote"}) {
    language.keywords.insert(word);
  }
  for (const char* word :
       {"reg", "param", "entry", "visible", "func", "shared", "global", "local", "const", "align",
        "version", "target", "address_size", "loc", "file", "section", "maxntid", "minnctapersm"}) {
    language.declarations.insert(word);
  }
  return language;
}

TextEditor::Language machine_language() {
  TextEditor::Language language = *TextEditor::Language::C();
  language.name = "SASS";
  language.preprocess = 0;
  language.keywords.clear();
  language.declarations.clear();
  language.identifiers.clear();
  for (const char* word :
       {"LDG", "STG", "LDS", "STS", "LDL", "STL", "LD", "ST", "LDSM", "STSM", "LDGSTS", "ATOM",
        "ATOMG", "ATOMS", "RED", "REDG", "LDC", "ULDC", "LDCU"}) {
    language.keywords.insert(word);
  }
  for (const char* word : {"BAR", "BRA", "EXIT", "BSSY", "BSYNC", "CALL", "RET", "WARPSYNC",
                           "DEPBAR", "LDGDEPBAR", "BRX"}) {
    language.declarations.insert(word);
  }
  for (const char* word : {"FFMA", "FADD", "FMUL", "HMMA", "IMMA", "DMMA", "DFMA", "DADD", "DMUL",
                           "HFMA2", "HADD2", "HMUL2", "MUFU"}) {
    language.identifiers.insert(word);
  }
  return language;
}

}  // namespace

// Where a text is drawn on the screen, and how.
struct TextRoom {
  ImVec2 corner;
  ImVec2 end;
  Theme theme;
  float scale;
  float cut = 0;  // where long lines end
};

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
  // Whether the line that is executed is, or comes from, the chosen one.
  [[nodiscard]] bool executes_chosen() const {
    if (view.executing_line == 0) return false;
    return view.origins != nullptr ? is_chosen(view.executing_line - 1)
                                   : view.executing_line == view.chosen_line;
  }
  // nullptr: nothing is known of it.
  [[nodiscard]] const LineHeat* heat(std::size_t line) const {
    const std::uint32_t own = of(line);
    if (view.heat == nullptr || own == 0 || own > view.heat->size()) return nullptr;
    const LineHeat& heat = (*view.heat)[own - 1];
    return heat.words.empty() ? nullptr : &heat;
  }
};

[[nodiscard]] TextEditor::Palette source_palette(Theme theme);

// The letters of a line: [first, last) without the blanks around them.
[[nodiscard]] std::pair<std::size_t, std::size_t> letters_of(const std::string& line);

// One of the texts: the editor that holds it, and what lies under and over its lines. Lines count
// from 0 here, as the editor's do.
struct SourcePage {
  explicit SourcePage(TextEditor::Language l);
  TextEditor::Language language;
  TextEditor editor;
  std::string shown;                    // the text that the editor holds
  std::vector<std::string> parameters;  // words with the colour of parameters
  std::uint32_t brought_to_view = 0;
  bool laid_out = false;  // drawn since its text was set
  std::uint32_t chosen_before = 0;
  std::uint32_t clicked = 0;    // since it was drawn last: what is chosen there stays where it is
  std::vector<LineRun> places;  // that come from the chosen line
  std::size_t place = 0;        // the one that is meant
  int steps = 0;                // asked for, from that place on
  std::optional<Theme> coloured_for;
  std::pair<const void*, unsigned> marked_for;  // list and version
  std::map<std::size_t, ImU32> marked_lines;    // from 0, with the mark's colour
  bool typed = false;

  // Which place is meant: where it is clicked or executed, else the nearest to what is in sight.
  void find_places(const SourceView& view);
  bool take_steps();  // to another place; false: none were asked for
  // The first line of it; of the kernel's own text, the chosen line. 0: none.
  [[nodiscard]] std::uint32_t meant_line(const SourceView& view) const;
  [[nodiscard]] bool is_meant(std::size_t line) const;
  void draw_number(const TextEditor::CustomLineNumber& box) const;
  // The text stands at the top of its line; the line is taken around it.
  [[nodiscard]] float lead() const;
  [[nodiscard]] float top_of(std::size_t line) const;
  [[nodiscard]] std::pair<TextEditor::DocPos, TextEditor::DocPos> span_of(
      const SourceMark& mark) const;
  void underline(const std::vector<SourceMark>& marks, Theme theme);
  // Bands lie under the text, so they are drawn before it, where the text stood in the last frame.
  void draw_bands(ImDrawList* list, const SourceView& view, const TextRoom& room) const;
  // The mark of the line at whose number or underlined words the mouse is; nullptr: none.
  [[nodiscard]] const SourceMark* mark_at(std::size_t line, const SourceView& view) const;
  // What lies over the lines in sight, and what the mouse does there, if it is there. `lead`:
  // lead() while the text's font was set.
  void draw_lines(ImDrawList* over, const SourceView& view, const TextRoom& room, float lead,
                  SourceTouch& touch);
  // A line that goes on past the edge fades out there instead of ending in half a letter.
  void fade(ImDrawList* over, const TextRoom& room, std::size_t line, float y,
            ColourRole ground) const;
  void draw_heat(ImDrawList* over, const SourceView& view, const TextRoom& room, std::size_t line,
                 float y, bool may_tell) const;
};

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
  const auto marked = marked_lines.find(box.lineNumber);
  const std::string number = std::to_string(box.lineNumber + 1);
  const auto blanks = static_cast<float>(box.digits - std::min(box.digits, number.size()));
  box.drawList->AddText({box.pos.x + blanks * editor.GetGlyphWidth(), box.pos.y},
                        marked != marked_lines.end() ? marked->second : box.color, number.c_str());
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
  for (const SourceMark& mark : marks) {
    if (mark.line == 0 || mark.line > editor.GetLineCount()) continue;
    const auto [first, last] = span_of(mark);
    const ImU32 paint = packed(colour_of(mark), theme);
    editor.AddSquiggle(first, last, 0, paint);
    // Of a line with advice and a problem the problem is seen.
    if (!marked_lines.try_emplace(mark.line - 1, paint).second && !mark.is_advice()) {
      marked_lines[mark.line - 1] = paint;
    }
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
    if (const auto marked = marked_lines.find(line); marked != marked_lines.end()) {
      over->AddRectFilled({room.corner.x, y}, {room.corner.x + 3 * room.scale, y + pitch},
                          marked->second);
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

SourceLanguage source_language(const Variant& variant) {
  return variant.own && variant.own->file.path.ends_with(".ptx") ? SourceLanguage::kPtx
                                                                 : SourceLanguage::kCuda;
}

SourceEditor::SourceEditor()
    : cuda_(std::make_unique<SourcePage>(cuda_language())),
      ptx_(std::make_unique<SourcePage>(ptx_language())),
      machine_(std::make_unique<SourcePage>(machine_language())) {}
SourceEditor::~SourceEditor() = default;

void SourceEditor::forget_colours() {
  cuda_->coloured_for.reset();
  ptx_->coloured_for.reset();
  machine_->coloured_for.reset();
}

SourcePage& SourceEditor::page_of(SourceLanguage language) const {
  return language == SourceLanguage::kCuda  ? *cuda_
         : language == SourceLanguage::kPtx ? *ptx_
                                            : *machine_;
}

void SourceEditor::take_focus() {
  if (drawn_ != nullptr) drawn_->editor.SetFocus();
}

bool SourceEditor::typing() const { return typing_frame_ >= ImGui::GetFrameCount() - 1; }

Point SourceEditor::place_in(const SourcePage* page, std::uint32_t line) {
  if (page == nullptr || line == 0 || line > page->editor.GetLineCount()) return {0, 0};
  const auto first = letters_of(page->editor.GetLineText(line - 1)).first;
  const ImVec2 place = page->editor.DocPos2ScreenPos({line - 1, first});
  return {place.x, place.y + page->editor.GetLineHeight()};
}

Point SourceEditor::place_of(std::uint32_t line) const { return place_in(drawn_, line); }

Point SourceEditor::place_of(SourceLanguage language, std::uint32_t line) const {
  return place_in(&page_of(language), line);
}

SourcePlaces SourceEditor::places_of(SourceLanguage language) const {
  const SourcePage& page = page_of(language);
  return {page.place, page.places.size()};
}

void SourceEditor::step_places(SourceLanguage language, int by) { page_of(language).steps += by; }

void SourceEditor::step_places(int by) {
  for (SourcePage* page : {cuda_.get(), ptx_.get(), machine_.get()}) {
    if (page->places.size() > 1) page->steps += by;
  }
}

double SourceEditor::first_line() const {
  if (shown_from_ > 0) return shown_from_;
  return next_top_line_ > 0 ? next_top_line_ : top_line_;
}

// Text, colours, marks and what is in sight, as the view wants them.
void SourceEditor::fill(SourcePage& page, const SourceView& view, Theme theme) {
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
    editor.SetPalette(source_palette(theme));
    page.coloured_for = theme;
    anew = true;
  }
  const std::pair<const void*, unsigned> marks{view.marks, view.marks_version};
  if (anew || page.marked_for != marks) {
    static const std::vector<SourceMark> kNone;
    page.underline(view.marks != nullptr ? *view.marks : kNone, theme);
    page.marked_for = marks;
  }
}

// Keeps what is executed or chosen in sight without moving the text under a reader at every
// instruction, nor under one who writes.
void SourceEditor::bring_in_sight(SourcePage& page, const SourceView& view) {
  TextEditor& editor = page.editor;
  const auto bring = [&](std::uint32_t line) {
    const bool in_sight =
        line > editor.GetFirstVisibleRow() + 1 && line < editor.GetLastVisibleRow();
    if (line != 0 && line <= editor.GetLineCount() && (!in_sight || !page.laid_out)) {
      editor.ScrollToLine(line - 1, TextEditor::Scroll::alignMiddle);
    }
  };
  page.find_places(view);
  const bool is_front = &page == drawn_;
  if (is_front && shown_from_ > 0 && (view.executing_line != 0 || view.origins != nullptr)) {
    next_top_line_ = std::exchange(shown_from_, 0);
    page.brought_to_view = view.executing_line;
    page.chosen_before = view.chosen_line;
  }
  // What a person chose wins over where time stands, which wins over what it makes of the choice.
  const bool by_hand = std::exchange(page.clicked, 0) != 0;
  const bool is_chosen_anew = view.chosen_line != page.chosen_before && view.chosen_line != 0;
  const auto bring_executing = [&] {
    bring(view.lines != nullptr ? view.lines->now(view.executing_line) : view.executing_line);
  };
  if (page.take_steps()) {
    bring(page.meant_line(view));
  } else if (!typing() && is_chosen_anew && !by_hand && !StudiedLines{view}.executes_chosen()) {
    bring(page.meant_line(view));
  } else if (!typing() && is_chosen_anew && !by_hand) {
    bring_executing();
  } else if (!typing() && view.executing_line != page.brought_to_view && view.executing_line != 0) {
    bring_executing();
  }
  if (!typing() && view.executing_line != 0) page.brought_to_view = view.executing_line;
  page.chosen_before = view.chosen_line;
  bring(view.sought_line);
}

SourceTouch SourceEditor::draw(std::span<const SourceView> columns, float height,
                               const Fonts& fonts, Theme theme, float scale) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width =
      std::floor(ImGui::GetContentRegionAvail().x / static_cast<float>(columns.size()));
  drawn_ = &page_of(columns.front().language);
  for (SourcePage* page : {cuda_.get(), ptx_.get(), machine_.get()}) {
    const bool shown = std::ranges::any_of(
        columns, [&](const SourceView& view) { return &page_of(view.language) == page; });
    if (!shown) page->places.clear();
  }
  SourceTouch touch;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const SourceView& view = columns[i];
    SourcePage& page = page_of(view.language);
    fill(page, view, theme);
    bring_in_sight(page, view);
    const float x = corner.x + static_cast<float>(i) * width;
    const bool was_found = touch.hovered != 0;
    ImGui::SetCursorScreenPos({x, corner.y});
    draw_column(page, view, {{x, corner.y}, {x + width, corner.y + height}, theme, scale}, fonts,
                touch);
    if (!was_found && touch.hovered != 0) touch.column = i;
    if (i > 0) {
      ImGui::GetWindowDrawList()->AddLine({x, corner.y}, {x, corner.y + height},
                                          packed(ColourRole::kLine, theme));
    }
  }
  return touch;
}

void SourceEditor::draw_column(SourcePage& page, const SourceView& view, TextRoom room,
                               const Fonts& fonts, SourceTouch& touch) {
  TextEditor& editor = page.editor;
  const bool is_front = &page == drawn_;
  ImGui::PushFont(fonts.mono(Weight::kRegular), 12);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float pitch = editor.GetLineHeight();
  list->PushClipRect(room.corner, room.end, true);
  if (editor.GetLineCount() > 0 && pitch > 0) page.draw_bands(list, view, room);
  list->PopClipRect();
  // A text that was just set goes to its top when it is drawn, and its height is known after that.
  if (is_front && next_top_line_ > 0 && pitch > 0 && page.laid_out) {
    const double top = std::exchange(next_top_line_, 0) - 1;
    ImGui::SetNextWindowScroll({-1, std::round(static_cast<float>(top) * pitch)});
  }
  // The bars stand in a column of their own, beside the text.
  const bool heated = view.heat != nullptr && std::ranges::any_of(*view.heat, [](const auto& heat) {
                        return !heat.words.empty();
                      });
  const float bars = heated ? view.heat_width * room.scale : 0;
  editor.Render(page.language.name.c_str(),
                {room.end.x - room.corner.x - bars, room.end.y - room.corner.y});
  page.laid_out = true;
  const float lead = page.lead();
  ImGui::PopFont();
  // Marks lie over the text: in the list of the editor's own window, the last child that was
  // opened.
  const ImVector<ImGuiWindow*>& children = ImGui::GetCurrentWindow()->DC.ChildWindows;
  ImDrawList* over = children.empty() ? list : children.back()->DrawList;
  if (is_front && !children.empty() && editor.GetLineHeight() > 0) {
    top_line_ = 1 + static_cast<double>(children.back()->Scroll.y / editor.GetLineHeight());
  }
  if (view.editable && !children.empty() &&
      ImGui::GetCurrentContext()->NavWindow == children.back()) {
    typing_frame_ = ImGui::GetFrameCount();
  }
  room.cut = children.empty() ? room.end.x - bars : children.back()->InnerClipRect.Max.x;
  over->PushClipRect(room.corner, room.end, false);
  page.draw_lines(over, view, room, lead, touch);
  over->PopClipRect();
  if (std::exchange(page.typed, false) && view.editable) {
    page.shown = editor.GetText();
    touch.edited = page.shown;
  }
}

}  // namespace tilescope
