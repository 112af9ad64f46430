#pragma once
#include <string_view>
#include <vector>

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

 private:
  Pen& pen_;
  Rect inside_;
  std::vector<Rect> taken_;
};

}  // namespace tilescope
