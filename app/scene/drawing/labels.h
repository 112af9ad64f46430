#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/drawing/canvas.h"
#include "scene/drawing/pen.h"

namespace tilescope {

// Labels of a chart that keep out of each other's way and off what is drawn: a label is written
// where there is room, on a ground that dims a grid's lines, or not at all. The first to ask has
// the place. All in the canvas's pixels.
class FreeLabels {
 public:
  // No label leaves `inside`.
  FreeLabels(Pen& pen, const Rect& inside) : pen_(pen), inside_(inside) {}

  void keep_free(const Rect& rect) { taken_.push_back(rect); }
  // A straight line, in pieces: a label may lie beside a slanted one.
  void keep_line_free(Point from, Point to);

  // Writes `words` from `left` on, at half height of `box`, if `box`, the room that they take, lies
  // inside and on nothing else. False: it does not.
  bool put(const Rect& box, Point left, std::string_view words, const TextStyle& style);
  // Writes it whatever lies there.
  void put_anyway(const Rect& box, Point left, std::string_view words, const TextStyle& style);

 private:
  Pen& pen_;
  Rect inside_;
  std::vector<Rect> taken_;
};

// A canvas that draws on another one and notes where its texts stand, so that lines which are drawn
// after them can be parted there.
class NotedLabels final : public ForwardingCanvas {
 public:
  using ForwardingCanvas::ForwardingCanvas;

  // The line without the stretches where it would cross a text or one of the boxes; `clear`: px
  // left free around each.
  void line_between(Point from, Point to, Paint paint, float width, float clear,
                    std::span<const Rect> boxes = {});
  [[nodiscard]] const std::vector<Rect>& labels() const { return labels_; }

  // What can be clicked to change the view is as good as a text.
  void hit(const Rect& rect, Hit what) override;
  void text(Point where, std::string_view utf8, const TextStyle& style) override;

 private:
  std::vector<Rect> labels_;
};

// The stretch of the line that lies in the rectangle, as shares of its length from `from` on; empty
// (first >= second): it passes by.
[[nodiscard]] std::pair<float, float> stretch_in(Point from, Point to, const Rect& rect);

// The places of a picture's marks as a person reads them: row by row from the top, each from left
// to right. What begins above the middle of a row's first mark belongs to that row. Returns
// indices.
[[nodiscard]] std::vector<std::size_t> reading_order(std::span<const Rect> marks);

}  // namespace tilescope
