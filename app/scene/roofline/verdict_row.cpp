#include <fmt/format.h>

#include <algorithm>

#include "scene/roofline/roofline_scene.h"

namespace tilescope {
namespace {

// Behind a cause whose line is under the pointer, or chosen.
void draw_ground(Pen& pen, const Rect& cell, const Verdict& verdict,
                 const RooflinePicture& picture) {
  if (verdict.line == 0) return;
  const bool chosen = verdict.line == picture.chosen_line;
  if (!chosen && verdict.line != picture.hovered_line) return;
  pen.canvas.fill_rect(cell.inset(-pen.px(6)), chosen ? ColourRole::kRaised : ColourRole::kHover,
                       4);
}

// `sure`: the model agrees with the known time, or there is none. `right`: where its second line
// has to end.
void draw_verdict(Pen& pen, const Rect& cell, float right, std::size_t rank, const Verdict& verdict,
                  bool sure) {
  const float y = cell.y + pen.px(8);
  const TextStyle dim = pen.style(12, ColourRole::kDim);
  const TextStyle fact = pen.style(13, ColourRole::kStrong, Weight::kSemibold);
  const ColourRole paint = !sure                  ? ColourRole::kDim
                           : verdict.worth >= 0.1 ? ColourRole::kExcess
                                                  : ColourRole::kSecond;
  const TextStyle worth = pen.style(13, paint, Weight::kSemibold, Align::kRight);
  const std::string words = "−" + about_percent_words(verdict.worth);
  pen.text(cell.x, y, std::to_string(rank), dim);
  const float x = cell.x + pen.px(16);
  const float room = cell.w - pen.px(26) - pen.width(words, worth);
  pen.text(x, y, pen.fitted(verdict.fact, fact, room), fact);
  pen.text(cell.right(), y, words, worth);
  pen.text(x, y + pen.px(19), pen.fitted(verdict.detail, dim, right - x), dim);
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

}  // namespace

void draw_verdict_row(Pen& pen, const Rect& area, const RooflinePicture& picture) {
  const Diagnosis& diagnosis = picture.diagnosis;
  const float y = area.y + pen.px(8);
  const ColourRole tone = picture.figure.model_is_off() ? ColourRole::kSecond : ColourRole::kDim;
  const TextStyle dim = pen.style(12, tone, Weight::kRegular, Align::kRight);
  const std::string trust =
      picture.figure.known
          ? explained(diagnosis, picture.figure.known->seconds, picture.figure.known->source)
          : std::string("by the model; no time is known");
  const float trust_width = pen.width(trust, dim) + pen.px(30);
  const bool says_trust = trust_width < area.w * 0.5f;
  if (says_trust) {
    pen.text(area.right(), y, trust, dim);
    pen.source_mark({area.right() - trust_width + pen.px(14), y}, Source::kModelled,
                    ColourRole::kDim);
  }
  pen.heading(area.x, y, "WHY IT IS NOT FASTER", diagnosis.held_by + ". Each cause alone:",
              area.right() - (says_trust ? trust_width : 0));
  const float gap = pen.px(28);
  const auto fit =
      static_cast<std::size_t>(std::clamp((area.w + gap) / (pen.px(250) + gap), 1.0f, 3.0f));
  const Rect below{area.x, y + pen.px(16), area.w, area.bottom() - y - pen.px(16)};
  const std::size_t shown = std::min(fit, diagnosis.verdicts.size());
  if (shown == 0) {
    const TextStyle plain = pen.style(13, ColourRole::kText);
    pen.text(below.x, below.y + pen.px(8),
             pen.fitted("No cause that the model knows is worth 2 % of the time.", plain, below.w),
             plain);
    return;
  }
  const float width = (below.w - gap * static_cast<float>(fit - 1)) / static_cast<float>(fit);
  for (std::size_t i = 0; i < shown; ++i) {
    const float x = below.x + static_cast<float>(i) * (width + gap);
    const Rect cell{x, below.y, width, pen.px(38)};
    draw_ground(pen, cell, diagnosis.verdicts[i], picture);
    draw_verdict(pen, cell, i + 1 == shown ? below.right() : cell.right(), i + 1,
                 diagnosis.verdicts[i], !picture.figure.model_is_off());
  }
}

}  // namespace tilescope
