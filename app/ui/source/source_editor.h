#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scene/drawing/palette.h"
#include "ui/source/source_marks.h"
#include "ui/source/study_digest.h"

namespace tilescope {

class Fonts;
struct SourcePage;
struct TextRoom;
struct Variant;
enum class SourceLanguage : std::uint8_t { kCuda, kPtx, kMachine };
// Of the text that a person may edit; the others follow from it.
[[nodiscard]] SourceLanguage source_language(const Variant& variant);

struct SourceView {
  const std::string* text = nullptr;  // must stay as it is while the editor shows it
  SourceLanguage language{};
  const std::vector<std::string>* parameters =
      nullptr;                       // macros to be told apart; nullptr: as before
  std::uint32_t executing_line = 0;  // 1-based; 0: none
  std::uint32_t chosen_line = 0;
  std::uint32_t hovered_line = 0;  // lit, as something of it is under the pointer; as chosen_line
  // The line of the kernel that each line comes from, by line - 1; where it is given, the chosen
  // line is the kernel's, and all that come from it are marked.
  const std::vector<std::uint32_t>* origins = nullptr;
  const std::vector<LineHeat>* heat = nullptr;  // by line - 1; may be shorter
  const LineMap* lines = nullptr;  // to those of heat and the two lines above; nullptr: the same
  float heat_width = 0;            // units
  const std::vector<SourceMark>* marks = nullptr;  // underlined
  unsigned marks_version = 0;
  std::uint32_t sought_line = 0;  // to be brought in sight now; 0: none
  bool editable = false;
};

// The places of a text that come from the chosen line.
struct SourcePlaces {
  std::size_t meant = 0;  // index of the one that is brought in sight
  std::size_t count = 0;  // 0: none, or the text is the kernel's own
};

// What a person did to the text in this frame.
struct SourceTouch {
  std::size_t column = 0;                  // of those drawn, where click and pointer are
  std::uint32_t clicked = 0;               // line; 0: none
  std::uint32_t hovered = 0;               // line under the pointer; 0: none
  bool on_mark = false;                    // the click was on its number or its underlined words
  std::optional<std::string> edited = {};  // the text as it is now
};

// Texts with syntax colours, line numbers, underlined places and a heat column, to read or to
// edit, over ImGuiColorTextEdit: one, or several side by side.
class SourceEditor {
 public:
  SourceEditor();
  ~SourceEditor();
  SourceEditor(const SourceEditor&) = delete;
  SourceEditor& operator=(const SourceEditor&) = delete;

  // From the window's cursor on, each column equally wide, `height` px high. Of each language there
  // is at most one; the first is the one that all below is about.
  // Precondition: columns is not empty, and only its first may be editable.
  SourceTouch draw(std::span<const SourceView> columns, float height, const Fonts& fonts,
                   Theme theme, float scale);
  void forget_colours();  // the theme changed
  void take_focus();      // at the next frame: keys go to the text

  // The top of what is in sight, in lines from 1; 0: nothing is drawn yet. And back there, once
  // there is a moment that the text would follow.
  [[nodiscard]] double first_line() const;
  void show_from(double line) { shown_from_ = line; }
  // Whether the next frame will show another part of the text.
  [[nodiscard]] bool scrolling() const { return next_top_line_ > 0; }

  // Of a text drawn last; and so many of them on, round and round, in the next frame: in one text,
  // or in all that have several.
  [[nodiscard]] SourcePlaces places_of(SourceLanguage language) const;
  void step_places(SourceLanguage language, int by);
  void step_places(int by);

  // Whether keys go to an editable text, so that they mean nothing else.
  [[nodiscard]] bool typing() const;
  // Where a line of the text drawn last begins on the screen, below its letters; of several side by
  // side, that of the first, or of the language.
  [[nodiscard]] Point place_of(std::uint32_t line) const;
  [[nodiscard]] Point place_of(SourceLanguage language, std::uint32_t line) const;

 private:
  [[nodiscard]] SourcePage& page_of(SourceLanguage language) const;
  [[nodiscard]] static Point place_in(const SourcePage* page, std::uint32_t line);
  void fill(SourcePage& page, const SourceView& view, Theme theme);
  void bring_in_sight(SourcePage& page, const SourceView& view);
  void draw_column(SourcePage& page, const SourceView& view, TextRoom room, const Fonts& fonts,
                   SourceTouch& touch);
  std::unique_ptr<SourcePage> cuda_;
  std::unique_ptr<SourcePage> ptx_;
  std::unique_ptr<SourcePage> machine_;
  SourcePage* drawn_ = nullptr;  // last, the first column
  int typing_frame_ = -1;
  double shown_from_ = 0;     // asked for; 0: nothing
  double top_line_ = 0;       // of that page
  double next_top_line_ = 0;  // where it is scrolled to when it is drawn; 0: where it is
};

}  // namespace tilescope
