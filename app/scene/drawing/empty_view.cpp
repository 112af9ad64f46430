#include "scene/drawing/empty_view.h"

namespace tilescope {

void draw_empty(Pen& pen, const Rect& area, std::string_view what, std::string_view remedy) {
  const Point center = area.center();
  const TextStyle title = pen.style(15, ColourRole::kText, Weight::kSemibold, Align::kCenter);
  const TextStyle body = pen.style(13, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  pen.text(center.x, center.y - pen.px(12), pen.fitted(what, title, area.w), title);
  pen.text(center.x, center.y + pen.px(12), pen.fitted(remedy, body, area.w), body);
}

}  // namespace tilescope
