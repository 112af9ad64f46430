#pragma once
#include <span>
#include <string>

#include "scene/drawing/pen.h"

namespace tilescope {

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

}  // namespace tilescope
