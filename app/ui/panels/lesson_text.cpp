#include "ui/panels/lesson_text.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"
#include "session/glossary.h"
#include "session/lesson_text.h"
#include "ui/state/actions.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

// A part of a word in one style; parts without a blank between them stay on one line.
struct LessonPiece {
  std::string words;
  TextStyle style;
  std::optional<Source> mark = {};
  std::string about = {};  // a tooltip
  const GlossaryEntry* term = nullptr;
  bool is_code = false;
};
struct LessonWord {
  std::vector<LessonPiece> pieces;
  bool blank = false;  // behind it
};

constexpr float kMarkRoom = 14;

float piece_width(PanelSurface& surface, const LessonPiece& piece) {
  return surface.canvas().text_width(piece.words, piece.style) + (piece.mark ? kMarkRoom : 0) +
         (piece.is_code ? 4 : 0);
}

// The present run's pieces are added to the word that is open, unless a blank ends it.
class LessonWords {
 public:
  void add(const LessonPiece& like, std::string_view text) {
    while (!text.empty()) {
      const std::size_t blank = text.find(' ');
      add_unspaced(like, text.substr(0, blank));
      if (blank == std::string_view::npos) return;
      end_word(true);
      text.remove_prefix(blank + 1);
    }
  }
  // One that is never broken.
  void add_whole(LessonPiece piece) {
    if (ends_wide_) end_word(false);
    open_.pieces.push_back(std::move(piece));
  }
  [[nodiscard]] std::vector<LessonWord> take() && {
    end_word(false);
    return std::move(words_);
  }

 private:
  // A line may also end behind each wide character.
  void add_unspaced(const LessonPiece& like, std::string_view text) {
    if (ends_wide_ && !text.empty() && breaks_before(text, 0)) end_word(false);
    std::size_t begin = 0;
    const auto take = [&](std::size_t end) {
      if (end == begin) return;
      LessonPiece piece = like;
      piece.words = text.substr(begin, end - begin);
      open_.pieces.push_back(std::move(piece));
      begin = end;
    };
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t wide = wide_character(text, at);
      if (wide > 0 && at > begin && breaks_before(text, at)) {
        take(at);
        end_word(false);
      }
      at += std::max<std::size_t>(wide, 1);
      if (wide > 0 && at < text.size() && breaks_before(text, at)) {
        take(at);
        end_word(false);
      }
      ends_wide_ = wide > 0;  // what comes next tells whether the line may end here
    }
    take(text.size());
  }
  void end_word(bool blank) {
    ends_wide_ = false;
    if (open_.pieces.empty()) {
      if (blank && !words_.empty()) words_.back().blank = true;
      return;
    }
    open_.blank = blank;
    words_.push_back(std::exchange(open_, {}));
  }
  LessonWord open_;
  bool ends_wide_ = false;  // the word that is open, with a wide character
  std::vector<LessonWord> words_;
};

constexpr std::size_t kLongestWhole = 24;  // bytes of code that no line's end breaks

std::vector<LessonWord> lesson_words(WindowState& state, const LessonParagraph& paragraph,
                                     bool after_answer, const LessonType& type) {
  const float size = type.size;
  LessonWords words;
  for (const LessonRun& run : paragraph) {
    LessonPiece piece{.words = run.text, .style = styled(size)};
    switch (run.kind) {
      case LessonRun::Kind::kPlain:
        if (type.strong) piece.style = styled(size, ColourRole::kStrong, Weight::kSemibold);
        break;
      case LessonRun::Kind::kStrong:
        piece.style = styled(size, ColourRole::kStrong, Weight::kSemibold);
        break;
      case LessonRun::Kind::kCode:
        piece.style =
            styled(size - 1, ColourRole::kStrong, Weight::kRegular, Align::kLeft, Font::kMono);
        piece.is_code = true;
        if (run.text.size() <= kLongestWhole) {
          piece.words = run.text;
          words.add_whole(std::move(piece));
          continue;
        }
        break;
      case LessonRun::Kind::kTerm:
        piece.style = styled(size, ColourRole::kFirst, Weight::kMedium);
        piece.term = state.glossary.find(term_of(run));
        break;
      case LessonRun::Kind::kValue: {
        const Learn::Shown& shown = state.learn.shown(run.value, after_answer);
        piece.words = shown.words;
        if (type.values_stand_out) {
          piece.style = styled(size, ColourRole::kStrong, Weight::kBold);
          piece.mark = shown.source;
          piece.about = shown.about;
        }
        words.add_whole(std::move(piece));
        continue;
      }
    }
    words.add(piece, run.text);
  }
  return std::move(words).take();
}

void draw_piece(PanelSurface& surface, const LessonPiece& piece, Point at, float pitch) {
  const float width = piece_width(surface, piece);
  const Rect place{at.x, at.y - pitch / 2, width, pitch};
  if (piece.is_code) {
    surface.canvas().fill_rect({at.x - 1, at.y - pitch / 2 + 2, width + 1, pitch - 4},
                               ColourRole::kRaised, 3);
    at.x += 2;
  }
  surface.canvas().text(at, piece.words, piece.style);  // the lesson's own words
  if (piece.mark) {
    surface.mark({place.right() - kMarkRoom / 2 + 1, at.y}, *piece.mark, ColourRole::kDim);
  }
  if (piece.term != nullptr) {
    const float below = at.y + piece.style.size * 0.62F;
    for (float x = place.x; x < place.right() - 1; x += 4) {  // the dotted word of the glossary
      surface.canvas().fill_rect({x, below, 1.5F, 1.2F}, ColourRole::kFirst, 0);
    }
    const Touch touch = surface.control("term", place);
    surface.explain_term(place, "Click for the whole entry.", piece.term);
    if (touch.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (touch.clicked) open_help(surface.state(), piece.term->term);
  } else if (!piece.about.empty()) {
    surface.explain(place, piece.about);
  }
}

}  // namespace

float draw_lesson_text(PanelSurface& surface, Point first, float room,
                       const LessonParagraph& paragraph, bool after_answer, const LessonType& type,
                       bool draws) {
  const float blank = surface.canvas().text_width(" ", styled(type.size));
  Point at = first;
  int number = 0;
  for (const LessonWord& word : lesson_words(surface.state(), paragraph, after_answer, type)) {
    float width = 0;
    for (const LessonPiece& piece : word.pieces) width += piece_width(surface, piece);
    if (at.x > first.x && at.x + width > first.x + room) at = {first.x, at.y + type.pitch};
    for (const LessonPiece& piece : word.pieces) {
      ImGui::PushID(++number);
      if (draws) draw_piece(surface, piece, at, type.pitch);
      ImGui::PopID();
      at.x += piece_width(surface, piece);
    }
    if (word.blank) at.x += blank;
  }
  return at.y + type.pitch;
}

}  // namespace tilescope
