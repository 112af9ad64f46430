#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "scene/pen.h"
#include "scene/phase_paint.h"
#include "scene/prepared.h"
#include "scene/prepared_access.h"

namespace tilescope {
namespace {

constexpr float kColumn = 2;  // px of the strip that share one colour

struct Strip {
  Rect box;
  std::uint32_t events = 1;
  [[nodiscard]] float x_of(std::uint32_t event) const {
    return box.x + box.w * static_cast<float>(event) / static_cast<float>(events);
  }
  [[nodiscard]] std::uint32_t event_at(float x) const {
    const float share = std::clamp((x - box.x) / box.w, 0.0f, 1.0f);
    return std::min(static_cast<std::uint32_t>(static_cast<double>(share) * events), events - 1);
  }
};

std::int16_t phase_at(const Timeline& timeline, std::uint32_t event) {
  const auto after = std::upper_bound(
      timeline.phases.begin(), timeline.phases.end(), event,
      [](std::uint32_t when, const Timeline::Span& span) { return when < span.begin; });
  return after == timeline.phases.begin() ? std::int16_t{-1} : std::prev(after)->phase;
}

// One rectangle per run of columns with the same phase; a column shows the phase at its middle.
void draw_phases(Pen& pen, const Strip& strip, const KernelStudy& study) {
  float start = strip.box.x;
  std::int16_t phase = phase_at(*study.timeline, strip.event_at(start + kColumn / 2));
  const auto finish = [&](float end) {
    const Rect box{start, strip.box.y, end - start, strip.box.h};
    pen.canvas.fill_rect(box, phase_paint(*study.program, phase));
    Hit hit{HitKind::kEvent, strip.event_at(start), strip.event_at(end), {}, {}};
    hit.tooltip = fmt::format("{}: about event {} of {}.", phase_name(*study.program, phase),
                              format_count(strip.event_at(start)), format_count(strip.events));
    pen.canvas.hit({start, strip.box.y - pen.px(8), end - start, strip.box.h + pen.px(24)}, hit);
  };
  for (float x = strip.box.x + kColumn; x < strip.box.right(); x += kColumn) {
    const std::int16_t here = phase_at(*study.timeline, strip.event_at(x + kColumn / 2));
    if (here == phase) continue;
    finish(x);
    start = x;
    phase = here;
  }
  finish(strip.box.right());
}

// What the accesses of a column need beyond the ideal, as a share of the dearest column.
void draw_cost(Pen& pen, const Strip& strip, const KernelStudy& study,
               const PreparedStudy& prepared) {
  const std::vector<std::uint32_t>& events = study.timeline->memory_events;
  const auto before = [&](float x) {
    const auto at = std::lower_bound(events.begin(), events.end(), strip.event_at(x));
    return static_cast<std::size_t>(at - events.begin());
  };
  const Rect& box = strip.box;
  pen.canvas.fill_rect(box, ColourRole::kRaised);
  float start = box.x;
  int level = -1;
  const auto finish = [&](float end) {
    if (level > 0) {
      pen.canvas.fill_rect({start, box.y, end - start, box.h},
                           Paint(ColourRole::kExcess, static_cast<float>(level) / 8.0f));
    }
  };
  std::size_t from = before(box.x);
  for (float x = box.x; x < box.right(); x += kColumn) {
    const std::size_t to = before(x + kColumn);
    const std::uint64_t cost = prepared.cost_before[to] - prepared.cost_before[from];
    const std::uint64_t excess = prepared.excess_before[to] - prepared.excess_before[from];
    const int here = cost == 0 ? 0 : static_cast<int>((excess * 8 + cost - 1) / cost);
    if (here != level) {
      finish(x);
      start = x;
      level = here;
    }
    from = to;
  }
  finish(box.right());
}

}  // namespace

void draw_time_strip(Canvas& canvas, const Rect& area, const ViewContext& context) {
  if (context.study == nullptr || !context.study->traced() || context.study->trace->events.empty())
    return;
  Pen pen(canvas, context);
  const KernelStudy& study = *context.study;
  const auto prepared = prepared_of(context);
  const TextStyle label = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float gutter = area.w > pen.px(260) ? pen.width("phases", label) + pen.px(8) : 0;
  const float phase_height = pen.px(8);
  const float cost_height = pen.px(5);
  const float middle = area.center().y;
  Strip strip;
  strip.events = static_cast<std::uint32_t>(study.trace->events.size());
  strip.box = {area.x + gutter, middle - phase_height, area.w - gutter - pen.px(6), phase_height};
  if (strip.box.w < 8) return;
  draw_phases(pen, strip, study);
  Strip cost = strip;
  cost.box = {strip.box.x, strip.box.bottom() + pen.px(3), strip.box.w, cost_height};
  draw_cost(pen, cost, study, *prepared);
  if (gutter > 0) {
    pen.text(area.x + gutter - pen.px(8), strip.box.center().y - pen.px(3), "phases", label);
    pen.text(area.x + gutter - pen.px(8), cost.box.center().y + pen.px(5), "excess", label);
  }
  const float x = strip.x_of(std::min(context.selection.event, strip.events - 1));
  const float top = strip.box.y - pen.px(9);
  canvas.line({x, top}, {x, cost.box.bottom() + pen.px(6)}, ColourRole::kSelection, 2);
  canvas.fill_circle({x, top}, pen.px(4), ColourRole::kSelection);
}

}  // namespace tilescope
