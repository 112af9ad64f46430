#include "ui/source_editor.h"

#include <TextEditor.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "ui/fonts.h"
#include "ui/style.h"

namespace tilescope {
namespace {

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
  set(Colour::cursor, none);
  set(Colour::selection, Paint(ColourRole::kFirst, 0.3F));
  set(Colour::lineNumber, ColourRole::kFaint);
  set(Colour::currentLineNumber, ColourRole::kDim);
  set(Colour::currentLineHighlight, none);
  set(Colour::currentLineHighlightBorder, none);
  return palette;
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
    editor.SetLineSpacing(1.6F);
    editor.SetTabSize(2);
    editor.SetLanguage(&language);
  }
  TextEditor::Language language;
  TextEditor editor;
  std::string shown;                    // the text that the editor holds
  std::vector<std::string> parameters;  // words with the colour of parameters
  std::uint32_t brought_to_view = 0;
  std::optional<Theme> coloured_for;
};

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

std::uint32_t SourceEditor::draw(const SourceView& view, const Fonts& fonts, Theme theme,
                                 float scale) {
  Page& page = view.language == SourceLanguage::kCuda  ? *cuda_
               : view.language == SourceLanguage::kPtx ? *ptx_
                                                       : *machine_;
  TextEditor& editor = page.editor;
  if (page.shown != *view.text) {
    page.shown = *view.text;
    editor.SetText(page.shown);
    page.brought_to_view = 0;
  }
  if (view.parameters != nullptr && page.parameters != *view.parameters) {
    page.parameters = *view.parameters;
    page.language.declarations.clear();
    page.language.declarations.insert(page.parameters.begin(), page.parameters.end());
    editor.SetLanguage(&page.language);
  }
  if (page.coloured_for != theme) {
    editor.SetPalette(palette_of(theme));
    page.coloured_for = theme;
  }
  // Keeps the executing line in sight without moving the text under a reader at every instruction.
  if (view.executing_line != 0 && view.executing_line != page.brought_to_view) {
    const std::size_t line = view.executing_line - 1;
    const bool in_sight = page.brought_to_view != 0 && line > editor.GetFirstVisibleRow() &&
                          line + 1 < editor.GetLastVisibleRow();
    if (!in_sight) editor.ScrollToLine(line, TextEditor::Scroll::alignMiddle);
    page.brought_to_view = view.executing_line;
  }
  ImGui::PushFont(fonts.mono(Weight::kRegular), 12);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImDrawList* list = ImGui::GetWindowDrawList();
  // Bands lie under the text, so they are drawn before it, where the text stood in the last frame.
  const float pitch = editor.GetLineHeight();
  // The text stands at the top of its line; the line is taken around it.
  const float lead = std::floor((pitch - ImGui::GetFontSize()) / 2);
  const auto top_of = [&](std::size_t line) { return editor.DocPos2ScreenPos({line, 0}).y - lead; };
  const auto band = [&](std::uint32_t line, Paint paint) {
    if (line == 0 || pitch <= 0) return;
    const float y = top_of(line - 1);
    if (y < corner.y - pitch || y > corner.y + room.y) return;
    list->AddRectFilled({corner.x, y}, {corner.x + room.x, y + pitch}, packed(paint, theme));
  };
  list->PushClipRect(corner, {corner.x + room.x, corner.y + room.y}, true);
  if (editor.GetLineCount() > 0 && editor.GetLineHeight() > 0) {
    if (view.chosen_line != view.executing_line) band(view.chosen_line, ColourRole::kRaised);
    band(view.executing_line, ColourRole::kHover);
  }
  list->PopClipRect();
  editor.Render(page.language.name.c_str(), room);
  ImGui::PopFont();
  // Bars lie over the text: in the list of the editor's own window, the last child that was opened.
  const ImVector<ImGuiWindow*>& children = ImGui::GetCurrentWindow()->DC.ChildWindows;
  ImDrawList* over = children.empty() ? list : children.back()->DrawList;

  over->PushClipRect(corner, {corner.x + room.x, corner.y + room.y}, false);
  const float new_pitch = editor.GetLineHeight();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float right = corner.x + room.x - 14 * scale;
  std::uint32_t clicked = 0;
  const std::size_t first = editor.GetFirstVisibleRow();
  const std::size_t last = std::min(editor.GetLastVisibleRow() + 1, editor.GetLineCount());
  const bool hovered = ImGui::IsMouseHoveringRect(corner, {corner.x + room.x, corner.y + room.y}) &&
                       ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
  for (std::size_t line = first; line < last; ++line) {
    const float y = top_of(line);
    if (line + 1 == view.executing_line) {
      over->AddRectFilled({corner.x, y}, {corner.x + 2 * scale, y + new_pitch},
                          packed(ColourRole::kFirst, theme));
    }
    const bool here = hovered && mouse.y >= y && mouse.y < y + new_pitch;
    if (here && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !editor.AnyCursorHasSelection()) {
      clicked = static_cast<std::uint32_t>(line) + 1;
    }
    if (view.heat == nullptr || line >= view.heat->size() || (*view.heat)[line].words.empty())
      continue;
    const LineHeat& heat = (*view.heat)[line];
    // The bar stands on the panel's ground, not on the end of a long line.
    over->AddRectFilled(
        {right - (view.heat_width - 24) * scale, y}, {corner.x + room.x, y + new_pitch},
        packed(line + 1 == view.executing_line ? ColourRole::kHover : ColourRole::kPanel, theme,
               0.85F));
    const float width = std::max(2.0F, heat.part * (view.heat_width - 24)) * scale;
    over->AddRectFilled({right - width, y + new_pitch * 0.22F}, {right, y + new_pitch * 0.78F},
                        packed(Paint::heat(0.42F + 0.4F * heat.part), theme), 2 * scale);
    if (here && mouse.x > right - view.heat_width * scale)
      ImGui::SetTooltip("%s", heat.words.c_str());
  }
  over->PopClipRect();
  return clicked;
}

}  // namespace tilescope
