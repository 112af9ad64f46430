#include "scene/drawing/segments.h"

namespace tilescope {
namespace {

TextStyle style_of(const Pen& pen, const Segment& segment) {
  return pen.style(11, segment.chosen ? ColourRole::kStrong : ColourRole::kDim,
                   segment.chosen ? Weight::kSemibold : Weight::kRegular, Align::kCenter);
}

float width_of(const Pen& pen, const Segment& segment) {
  return pen.width(segment.words, style_of(pen, segment)) + pen.px(14);
}

}  // namespace

float segments_width(const Pen& pen, std::span<const Segment> segments) {
  float width = 0;
  for (const Segment& segment : segments) width += width_of(pen, segment) + pen.px(2);
  return width;
}

float draw_segments(Pen& pen, float right, float y, std::span<const Segment> segments) {
  if (pen.on_paper) return right;
  const float left = right - segments_width(pen, segments) + pen.px(2);
  float x = left;
  pen.canvas.fill_rect({left, y - pen.px(9), right - left, pen.px(18)},
                       Paint(ColourRole::kRaised, 0.6f), 6);
  for (const Segment& segment : segments) {
    const Rect chip{x, y - pen.px(9), width_of(pen, segment), pen.px(18)};
    if (segment.chosen) pen.canvas.fill_rect(chip, ColourRole::kHover, 6);
    pen.text(chip.center().x, y, segment.words, style_of(pen, segment));
    pen.canvas.hit(chip, segment.hit);
    x = chip.right() + pen.px(2);
  }
  return left;
}

}  // namespace tilescope
