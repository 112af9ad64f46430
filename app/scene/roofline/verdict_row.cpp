#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "scene/roofline/roofline_scene.h"

namespace tilescope {
namespace {

// Behind a cause whose line is under the pointer, or chosen.
void draw_ground(Pen& pen, const Rect& cell, const Verdict& verdict,
                 const RooflinePicture& picture) {
  if (verdict.line == 0) return;
  const bool chosen = verdict.line == picture.chosen_line;
  if (!chosen && verdict.line != picture.hovered_line) return;
  const float beyond = pen.px(cell.h > pen.px(20) ? 6 : 0);
  pen.canvas.fill_rect(
      {cell.x - pen.px(6), cell.y - beyond, cell.w + pen.px(12), cell.h + 2 * beyond},
      chosen ? ColourRole::kRaised : ColourRole::kHover, 4);
}

constexpr float kGap = 28;          // between causes side by side
constexpr float kLeastWidth = 250;  // of one of them
constexpr float kRank = 16;
constexpr float kLine = 18;  // of a cause on one line

// The styles and words of a cause.
struct CauseWords {
  CauseWords(const Pen& pen, const Verdict& verdict, bool sure)
      : dim(pen.style(12, ColourRole::kDim)),
        fact(pen.style(13, ColourRole::kStrong, Weight::kSemibold)),
        worth(pen.style(13,
                        !sure                  ? ColourRole::kDim
                        : verdict.worth >= 0.1 ? ColourRole::kExcess
                                               : ColourRole::kSecond,
                        Weight::kSemibold, Align::kRight)),
        worth_words("−" + about_percent_words(verdict.worth)) {}
  TextStyle dim;
  TextStyle fact;
  TextStyle worth;
  std::string worth_words;
};

// `sure`: the model agrees with the known time, or there is none.
void hit_verdict(Pen& pen, const Rect& cell, const Verdict& verdict, bool sure) {
  std::string tooltip = fmt::format(
      "{}: {}. Without it the launch would take {} less time, by the model. Causes overlap: "
      "their worths do not add up.",
      verdict.fact, verdict.detail, about_percent_words(verdict.worth));
  if (!sure) tooltip += " The model misses the known time by more than a fifth: take it as a hint.";
  if (verdict.line != 0) {
    pen.hit(cell, HitKind::kLine, verdict.line, std::move(tooltip));
  } else {
    pen.hit(cell, HitKind::kNone, 0, std::move(tooltip));
  }
}

// The fact with its worth, below it the detail, which has to end at `right`.
void draw_verdict(Pen& pen, const Rect& cell, float right, std::size_t rank, const Verdict& verdict,
                  bool sure) {
  const CauseWords words(pen, verdict, sure);
  const float y = cell.y + pen.px(8);
  pen.text(cell.x, y, std::to_string(rank), words.dim);
  const float x = cell.x + pen.px(kRank);
  pen.text(x, y, verdict.fact, words.fact);
  pen.text(cell.right(), y, words.worth_words, words.worth);
  pen.text(x, y + pen.px(19), pen.fitted(verdict.detail, words.dim, right - x), words.dim);
  hit_verdict(pen, cell, verdict, sure);
}

// Fact, detail and worth on one line; `detail_x`: where the details begin.
void draw_verdict_line(Pen& pen, const Rect& row, float detail_x, std::size_t rank,
                       const Verdict& verdict, bool sure) {
  const CauseWords words(pen, verdict, sure);
  const float y = row.center().y;
  const float right = row.right() - pen.width(words.worth_words, words.worth) - pen.px(12);
  pen.text(row.x, y, std::to_string(rank), words.dim);
  const float x = row.x + pen.px(kRank);
  pen.text(x, y, pen.fitted(verdict.fact, words.fact, right - x), words.fact);
  if (detail_x < right - pen.px(60)) {
    pen.text(detail_x, y, pen.fitted(verdict.detail, words.dim, right - detail_x), words.dim);
  }
  pen.text(row.right(), y, words.worth_words, words.worth);
  hit_verdict(pen, row, verdict, sure);
}

// How many stand side by side in that width.
std::size_t columns_in(const Pen& pen, float width) {
  const float gap = pen.px(kGap);
  return static_cast<std::size_t>(
      std::clamp((width + gap) / (pen.px(kLeastWidth) + gap), 1.0f, 3.0f));
}
float column_width(const Pen& pen, float width) {
  const auto columns = static_cast<float>(columns_in(pen, width));
  return (width - pen.px(kGap) * (columns - 1)) / columns;
}

// Whether the causes have room for all their words side by side; else each has a line.
bool stand_in_columns(const Pen& pen, float width, const std::vector<Verdict>& verdicts) {
  const std::size_t columns = columns_in(pen, width);
  if (verdicts.size() > columns && columns < 3) return false;
  const float cell = column_width(pen, width);
  for (std::size_t i = 0; i < std::min<std::size_t>(verdicts.size(), 3); ++i) {
    const CauseWords words(pen, verdicts[i], true);
    const float room = cell - pen.px(kRank);
    const float fact = pen.width(verdicts[i].fact, words.fact) + pen.px(10) +
                       pen.width(words.worth_words, words.worth);
    const bool last = i + 1 == std::min<std::size_t>(verdicts.size(), 3);
    const float below = pen.width(verdicts[i].detail, words.dim);
    if (fact > room ||
        below >
            (last ? width - static_cast<float>(i) * (cell + pen.px(kGap)) : cell) - pen.px(kRank)) {
      return false;
    }
  }
  return true;
}

void draw_verdict_lines(Pen& pen, const Rect& area, const RooflinePicture& picture) {
  const std::vector<Verdict>& verdicts = picture.diagnosis.verdicts;
  const bool sure = !picture.figure.model_is_off();
  const std::size_t shown = std::min<std::size_t>(verdicts.size(), 3);
  float longest = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const CauseWords words(pen, verdicts[i], sure);
    longest = std::max(longest, pen.width(verdicts[i].fact, words.fact));
  }
  const float detail_x = area.x + pen.px(kRank) + longest + pen.px(20);
  for (std::size_t i = 0; i < shown; ++i) {
    const Rect row{area.x, area.y + pen.px(kLine) * static_cast<float>(i), area.w, pen.px(kLine)};
    if (row.bottom() > area.bottom() + 1) break;
    draw_ground(pen, row, verdicts[i], picture);
    draw_verdict_line(pen, row, detail_x, i + 1, verdicts[i], sure);
  }
}

// Where no time is known that the model could be held against.
std::string untimed_words(const RooflinePicture& picture) {
  const std::string elsewhere =
      picture.data != nullptr ? elsewhere_words(*picture.data) : std::string();
  return "by the model; " + (elsewhere.empty() ? "no time is known" : elsewhere);
}

}  // namespace

float verdict_row_height(const Pen& pen, float width, const Diagnosis& diagnosis) {
  const std::size_t lines = std::min<std::size_t>(diagnosis.verdicts.size(), 3);
  const bool columns = stand_in_columns(pen, width, diagnosis.verdicts);
  return pen.px(24) + (columns ? pen.px(42) : pen.px(kLine) * static_cast<float>(lines));
}

void draw_verdict_row(Pen& pen, const Rect& area, const RooflinePicture& picture) {
  const Diagnosis& diagnosis = picture.diagnosis;
  const float y = area.y + pen.px(8);
  const ColourRole tone = picture.figure.model_is_off() ? ColourRole::kSecond : ColourRole::kDim;
  const TextStyle dim = pen.style(12, tone, Weight::kRegular, Align::kRight);
  const std::string trust =
      picture.figure.known
          ? explained(diagnosis, picture.figure.known->seconds, picture.figure.known->source)
          : untimed_words(picture);
  const float trust_width = pen.width(trust, dim) + pen.px(30);
  const bool says_trust = trust_width < area.w * 0.5f;
  if (says_trust) {
    pen.text(area.right(), y, trust, dim);
    pen.source_mark({area.right() - trust_width + pen.px(14), y}, Source::kModelled,
                    ColourRole::kDim);
  }
  pen.heading(area.x, y, "WHY IT IS NOT FASTER", diagnosis.held_by + ". Each cause alone:",
              area.right() - (says_trust ? trust_width : 0));
  const Rect below{area.x, y + pen.px(16), area.w, area.bottom() - y - pen.px(16)};
  if (diagnosis.verdicts.empty()) {
    const TextStyle plain = pen.style(13, ColourRole::kText);
    pen.text(below.x, below.y + pen.px(8),
             pen.fitted("No cause that the model knows is worth 2 % of the time.", plain, below.w),
             plain);
    return;
  }
  if (!stand_in_columns(pen, below.w, diagnosis.verdicts)) {
    draw_verdict_lines(pen, below, picture);
    return;
  }
  const std::size_t shown = std::min(columns_in(pen, below.w), diagnosis.verdicts.size());
  const float width = column_width(pen, below.w);
  for (std::size_t i = 0; i < shown; ++i) {
    const float x = below.x + static_cast<float>(i) * (width + pen.px(kGap));
    const Rect cell{x, below.y, width, pen.px(38)};
    draw_ground(pen, cell, diagnosis.verdicts[i], picture);
    draw_verdict(pen, cell, i + 1 == shown ? below.right() : cell.right(), i + 1,
                 diagnosis.verdicts[i], !picture.figure.model_is_off());
  }
}

}  // namespace tilescope
