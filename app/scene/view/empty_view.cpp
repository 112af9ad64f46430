#include "scene/view/empty_view.h"

#include <algorithm>

namespace tilescope {

void draw_empty(Pen& pen, const Rect& area, std::string_view what, std::string_view remedy) {
  const Point center = area.center();
  const TextStyle title = pen.style(15, ColourRole::kText, Weight::kSemibold, Align::kCenter);
  const TextStyle body = pen.style(13, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  pen.text(center.x, center.y - pen.px(12), pen.fitted(what, title, area.w), title);
  pen.text(center.x, center.y + pen.px(12), pen.fitted(remedy, body, area.w), body);
}

void draw_offers(Pen& pen, const Rect& area, std::span<const Offer> offers) {
  if (pen.on_paper) return;
  const Point center = area.center();
  const TextStyle style = pen.style(13, ColourRole::kStrong, Weight::kMedium, Align::kCenter);
  float y = center.y - pen.px(2);
  for (const Offer& offer : offers) {
    const float w = std::min(pen.width(offer.words, style) + pen.px(32), area.w);
    const Rect button{center.x - w / 2, y, w, pen.px(26)};
    if (button.bottom() > area.bottom()) return;
    pen.canvas.fill_rect(button, ColourRole::kRaised, 6);
    pen.text(center.x, button.center().y, pen.fitted(offer.words, style, w), style);
    pen.canvas.hit(button, Hit{HitKind::kAction, 0, 0, offer.action, offer.tooltip});
    y += pen.px(32);
  }
}

}  // namespace tilescope
