#include "scene/view/empty_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tilescope {

bool has_room(Pen& pen, const Rect& area, FigureSize least) {
  constexpr float kRounding = 0.5f;
  const float width = std::ceil(pen.px(least.width));
  const float height = std::ceil(pen.px(least.height));
  if (area.w + kRounding >= width && area.h + kRounding >= height) return true;
  const TextStyle style = pen.style(13, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  const std::string size = fmt::format("{:.0f} × {:.0f}", width, height);
  const std::vector<std::string> words = {
      fmt::format("This figure needs at least {} px; here are {:.0f} × {:.0f}.", size, area.w,
                  area.h),
      fmt::format("Needs at least {} px", size), "≥ " + size};
  if (area.h < pen.px(16)) return false;
  for (const std::string& each : words) {
    if (pen.width(each, style) > area.w) continue;
    pen.text(area.center().x, area.center().y, each, style);
    break;
  }
  return false;
}

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
    pen.canvas.hit(button, offer.hit);
    y += pen.px(32);
  }
}

}  // namespace tilescope
