#pragma once
#include <span>
#include <utility>
#include <vector>

#include "scene/drawing/forwarding_canvas.h"

namespace tilescope {

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

}  // namespace tilescope
