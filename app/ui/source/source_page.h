#pragma once
#include <TextEditor.h>
#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scene/drawing/palette.h"
#include "scene/pages/line_runs.h"
#include "ui/source/source_editor.h"

namespace tilescope {

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
  std::vector<std::size_t> marked_lines;        // from 0
  ImU32 mark_colour = 0;
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

}  // namespace tilescope
