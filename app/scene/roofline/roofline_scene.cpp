#include "scene/roofline/roofline_scene.h"

#include <algorithm>

#include "scene/drawing/empty_view.h"
#include "scene/prepared.h"
#include "scene/view.h"

namespace tilescope {

void draw_roofline(Canvas& canvas, const Rect& area, const ViewContext& context) {
  Pen pen(canvas, context);
  const auto prepared = prepared_of(context);
  if (prepared->diagnosis == nullptr && !not_modelled(*context.study).empty()) {
    draw_empty(pen, area, "No time can be modelled",
               "The traced block waits for another block, or was left for another reason before "
               "its end.");
    return;
  }
  if (prepared->diagnosis == nullptr) {
    draw_empty(pen, area, "The kernel's registers are not counted yet",
               "The roofline needs them, and a GPU of the device table.");
    return;
  }
  const Diagnosis& diagnosis = *prepared->diagnosis;
  const RooflinePicture picture{*context.study,
                                diagnosis,
                                roofline_figure(context.study->instance, *context.study->device,
                                                diagnosis, context.roofline.get()),
                                context.roofline.get(),
                                context.selection.line,
                                context.hovered_line};
  const float row = pen.px(18) + verdict_row_height(pen, area.w, diagnosis);
  const bool with_row = area.h - row >= pen.px(190);
  const Rect upper{area.x, area.y, area.w, area.h - (with_row ? row : 0)};
  const bool with_parts = area.w >= pen.px(700);
  const float parts = with_parts ? std::clamp(area.w * 0.25f, pen.px(210), pen.px(300)) : 0;
  const float gap = with_parts ? pen.px(28) : 0;
  const Rect chart{upper.x, upper.y, upper.w - parts - gap, upper.h};
  if (picture.figure.computes) {
    draw_roofline_chart(pen, chart, picture);
  } else {
    draw_bandwidth_chart(pen, chart, picture);
  }
  if (with_parts) draw_time_parts(pen, {chart.right() + gap, upper.y, parts, upper.h}, picture);
  if (!with_row) return;
  const float top = upper.bottom() + pen.px(8);
  pen.rule(area.x, area.right(), top);
  draw_verdict_row(pen, {area.x, top + pen.px(10), area.w, area.bottom() - top - pen.px(10)},
                   picture);
}

}  // namespace tilescope
