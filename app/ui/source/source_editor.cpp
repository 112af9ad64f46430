#include "ui/source/source_editor.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/source/source_languages.h"
#include "ui/source/source_page.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

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
