#include <fmt/format.h>

#include <algorithm>

#include "core/quantity.h"
#include "scene/compare/compare_access.h"
#include "scene/compare/compare_scene.h"
#include "scene/drawing/phase_paint.h"
#include "scene/prepared.h"
#include "scene/selected_time.h"
#include "scene/tiling/tiling_model.h"
#include "scene/view.h"

namespace tilescope {

void draw_compared_time(Pen& pen, const Rect& row, const ViewContext& context,
                        std::size_t variant) {
  const KernelStudy& study = *context.compared->variants[variant].study;
  const ViewContext own = context_of_variant(context, variant);
  const auto events = static_cast<std::uint32_t>(study.trace->events.size());
  const std::uint32_t event = own.selection.event;
  const auto prepared = prepared_of(own);
  const WarpTime time = time_of(study, *prepared, own.selection.warp);
  const std::size_t steps = time.steps().size();
  const StepTiles& tiles = prepared->tiling->by_tile;
  const std::string words =
      steps > 1 ? step_in_words(tiles, study.timeline->step_of(time.warp, event), steps)
                : fmt::format("at {:.0f} %", 100.0 * event / std::max(events - 1.0, 1.0));
  const TextStyle dim = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  float widest = pen.width("at 100 %", dim);  // at the first step, or the last
  for (const std::size_t step : {std::size_t{1}, steps}) {
    if (steps <= 1) break;
    const auto number = static_cast<std::uint32_t>(step - 1);
    widest = std::max(widest, pen.width(step_in_words(tiles, number, steps), dim));
  }
  const float text = widest + pen.px(10);
  const bool says = text < row.w * 0.6f;
  const Rect strip{row.x, row.center().y - pen.px(2.5f), row.w - (says ? text : 0), pen.px(5)};
  if (says) pen.text(row.right(), row.center().y, words, dim);
  const auto event_at = [&](float x) {
    return static_cast<std::uint32_t>(std::clamp((x - strip.x) / strip.w, 0.0f, 1.0f) *
                                      static_cast<float>(events - 1));
  };
  float start = strip.x;
  std::int16_t phase = time.phase_at(0);
  for (float x = strip.x + 2; start < strip.right(); x += 2) {
    const bool last = x >= strip.right();
    const std::int16_t here = last ? std::int16_t{-2} : time.phase_at(event_at(x + 1));
    if (here == phase) continue;
    const float end = std::min(x, strip.right());
    fill_time(pen, {start, strip.y, end - start, strip.h}, phase_paint(*study.program, phase));
    start = end;
    phase = here;
  }
  const float share = static_cast<float>(event) / std::max(static_cast<float>(events) - 1.0f, 1.0f);
  const float x = strip.x + strip.w * share;
  pen.canvas.fill_rect(
      {std::min(x, strip.right() - 2), strip.y - pen.px(3), 2, strip.h + pen.px(6)},
      ColourRole::kSelection);
  constexpr int kPlaces = 24;  // that a click can go to
  for (int i = 0; i < kPlaces; ++i) {
    const Rect place{strip.x + strip.w * static_cast<float>(i) / kPlaces, row.y, strip.w / kPlaces,
                     row.h};
    const std::uint32_t there = event_at(place.center().x);
    Hit hit{HitKind::kEvent, there, 0, {}, {}};
    hit.tooltip = fmt::format("{}: about event {} of {}. A click moves every variant there.",
                              phase_name(*study.program, time.phase_at(there)), format_count(there),
                              format_count(events));
    hit.variant = static_cast<int>(variant);
    pen.canvas.hit(place, std::move(hit));
  }
}

}  // namespace tilescope
