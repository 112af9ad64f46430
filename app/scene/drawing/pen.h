#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/quantity.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/palette.h"

namespace tilescope {

// How a drawing looks, whatever it shows.
struct DrawingStyle {
  Theme theme = Theme::kDark;
  float text_scale = 1;  // 1.6 in lecture mode
  // Nobody can click: switches and words about clicks are left out of an exported picture.
  bool on_paper = false;
};

// A canvas with the theme and the text scale of one drawing: every scene writes its text through
// it. Lengths that hold text are given at scale 1 and multiplied by px().
class Pen {
 public:
  Pen(Canvas& target, const DrawingStyle& look)
      : canvas(target), theme(look.theme), on_paper(look.on_paper), scale_(look.text_scale) {}

  Canvas& canvas;  // NOLINT(misc-non-private-member-variables-in-classes)
  Theme theme;     // NOLINT(misc-non-private-member-variables-in-classes)
  bool on_paper;   // NOLINT(misc-non-private-member-variables-in-classes)

  [[nodiscard]] float px(float at_scale_one) const { return at_scale_one * scale_; }

  // A style with its size in px at scale 1.
  [[nodiscard]] TextStyle style(float size, Paint paint = ColourRole::kText,
                                Weight weight = Weight::kRegular, Align align = Align::kLeft,
                                Font font = Font::kText) const;
  [[nodiscard]] float width(std::string_view text, const TextStyle& style) const {
    return canvas.text_width(text, style);
  }
  void text(float x, float y, std::string_view words, const TextStyle& style) {
    canvas.text({x, y}, words, style);
  }
  // The text if it fits into `room`, else as much of it as does with an ellipsis; "" when nothing
  // does.
  [[nodiscard]] std::string fitted(std::string_view text, const TextStyle& style, float room) const;
  // Writes the text only if it fits whole. True when written.
  bool text_if_fits(float x, float y, std::string_view words, const TextStyle& style, float room);

  // "BANKS  columns 0-31: 4 bytes each": a heading and as many parts of its explanation, which end
  // at , ; or :, as there is room for.
  // Returns where the text ends.
  float heading(float x, float y, std::string_view title, std::string_view explanation,
                float right);

  // Words about what a click does: none where nobody can click.
  [[nodiscard]] std::string_view hint(std::string_view words) const {
    return on_paper ? std::string_view() : words;
  }

  // A text in `room` if one of these fits, longest first; nothing else.
  bool first_that_fits(float x, float y, const std::vector<std::string>& candidates,
                       const TextStyle& style, float room);

  // The mark of where numbers come from: a filled circle, ring, filled or open diamond.
  void source_mark(Point center, Source source, Paint paint);

  // A horizontal rule between groups.
  void rule(float x, float right, float y) {
    canvas.line({x, y}, {right, y}, ColourRole::kLine, 1);
  }
  void outline(const Rect& rect, Paint paint, float width = 1, float corner = 0) {
    canvas.stroke_rect(rect, paint, width, corner);
  }
  void hit(const Rect& rect, HitKind kind, std::int64_t value, std::string tooltip) {
    canvas.hit(rect, {.kind = kind, .value = value, .tooltip = std::move(tooltip)});
  }

 private:
  float scale_;
};

// One word of a row of which a person chooses; the chosen one stands on a ground of its own.
struct Segment {
  std::string words;
  bool chosen = false;
  Hit hit;  // what a click does
};
// Draws them side by side, the last one ending at `right`, around the height `y`. Returns where the
// first one begins. On paper, where nobody can choose, there are none.
float draw_segments(Pen& pen, float right, float y, std::span<const Segment> segments);
// How wide that would be.
[[nodiscard]] float segments_width(const Pen& pen, std::span<const Segment> segments);

// Where the piece of `words` ends that begins at `from` and stays on one line: at a space, or at
// the end. A number keeps its unit or its noun, and a product its factors.
[[nodiscard]] std::size_t unbroken_end(std::string_view words, std::size_t from);

}  // namespace tilescope
