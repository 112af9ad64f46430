#include "scene/view/time_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/quantity.h"
#include "scene/drawing/pen.h"
#include "scene/model/lane_model.h"
#include "scene/model/prepared.h"
#include "scene/view/default_selection.h"
#include "scene/view/hovered_line.h"
#include "scene/view/phase_paint.h"
#include "scene/view/view.h"

namespace tilescope {
namespace {

constexpr float kColumn = 2;       // px of the strip that share one colour
constexpr double kTelling = 0.05;  // share of the lane slots from which they name the strip

// One of the two bands of the strip.
struct Strip {
  Rect box;
  const TimeStripLayout& layout;
  [[nodiscard]] std::uint32_t event_at(float x) const { return layout.event_at(x); }
};

// A kernel without marks has none: its strip is its time alone.
bool has_phases(const KernelStudy& study) { return !study.program->phases().empty(); }

// One rectangle per run of columns with the same phase of the selected warp; a column shows that at
// its middle.
void draw_phases(Pen& pen, const Strip& strip, const WarpTime& time) {
  const KernelStudy& study = time.study;
  float start = strip.box.x;
  std::int16_t phase = time.phase_at(strip.event_at(start + kColumn / 2));
  const auto finish = [&](float end) {
    const Rect box{start, strip.box.y, end - start, strip.box.h};
    fill_time(pen, box, phase_paint(*study.program, phase));
    Hit hit{.kind = HitKind::kEvent, .value = strip.event_at(start), .value2 = strip.event_at(end)};
    hit.tooltip =
        fmt::format("{} {} of {}.",
                    has_phases(study) ? phase_name(*study.program, phase) + ": about event"
                                      : std::string("About event"),
                    format_count(strip.event_at(start)), format_count(strip.layout.events));
    pen.canvas.hit({start, strip.box.y - pen.px(8), end - start, strip.box.h + pen.px(24)}, hit);
  };
  for (float x = strip.box.x + kColumn; x < strip.box.right(); x += kColumn) {
    const std::int16_t here = time.phase_at(strip.event_at(x + kColumn / 2));
    if (here == phase) continue;
    finish(x);
    start = x;
    phase = here;
  }
  finish(strip.box.right());
}

// Over what the selected warp executes of the line that is under the pointer: one rectangle for
// all that no column of the strip lies between.
void draw_lit(Pen& pen, const TimeStripLayout& layout, const WarpTime& time,
              const ViewContext& context) {
  if (context.hovered_line == 0) return;
  float start = 0;
  float end = -1;
  const auto finish = [&] {
    if (end <= start) return;
    pen.canvas.fill_rect({start, layout.axis.y, end - start, pen.px(3)}, ColourRole::kSelection, 0);
  };
  for (const std::uint32_t event : time.own) {
    if (!is_lit_event(context, event)) continue;
    const float x = layout.x_of(event);
    if (x > end + kColumn) {
      finish();
      start = x;
    }
    end = std::max(layout.x_of(event + 1), x + kColumn);
  }
  finish();
}

// What a stretch of the block needs beyond the ideal, as shares of what it needs.
struct Excess {
  double memory = 0;  // of its sectors and wavefronts
  double lanes = 0;   // of its lane slots
  [[nodiscard]] double share() const { return std::max(memory, lanes); }
};

Excess excess_of(const KernelStudy& study, const PreparedStudy& prepared, std::uint32_t begin,
                 std::uint32_t end) {
  const std::vector<std::uint32_t>& events = study.timeline->memory_events;
  const auto before = [&](std::uint32_t event) {
    return static_cast<std::size_t>(std::ranges::lower_bound(events, event) - events.begin());
  };
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  const std::size_t from = before(begin);
  const std::size_t to = before(end);
  const std::vector<std::uint64_t>& lost = prepared.lanes->lost_before;
  return {.memory = share(prepared.excess_before[to] - prepared.excess_before[from],
                          prepared.cost_before[to] - prepared.cost_before[from]),
          .lanes = share(lost[end] - lost[begin], std::uint64_t{32} * (end - begin))};
}

Excess excess_of_block(const ViewContext& context) {
  return excess_of(*context.study, *prepared_of(context), 0,
                   static_cast<std::uint32_t>(context.study->trace->events.size()));
}

// The excess of each column.
void draw_excess(Pen& pen, const Strip& strip, const KernelStudy& study,
                 const PreparedStudy& prepared) {
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
  for (float x = box.x; x < box.right(); x += kColumn) {
    // Of a short block one event lies under several columns.
    const std::uint32_t begin = strip.event_at(x);
    const std::uint32_t end = std::max(strip.event_at(x + kColumn), begin + 1);
    const double share = excess_of(study, prepared, begin, end).share();
    const int here = static_cast<int>(std::ceil(share * 8));
    if (here != level) {
      finish(x);
      start = x;
      level = here;
    }
  }
  finish(box.right());
}

// Flags from left to right, each at its moment or where its left neighbour leaves room.
void place_flags(TimeStripLayout& layout, const Rect& area, const TimeMarks& marks, float scale) {
  std::vector<std::pair<std::uint32_t, int>> moments;
  for (std::size_t i = 0; i < marks.bookmarks.size(); ++i) {
    const auto& event = marks.bookmarks[i];
    if (event && *event < layout.events) moments.emplace_back(*event, static_cast<int>(i));
  }
  std::ranges::sort(moments);
  const float width = 12 * scale;
  const float pitch = width + 2 * scale;
  for (const auto& [event, number] : moments) {
    TimeStripLayout::Flag flag;
    flag.number = number;
    flag.x = layout.x_of(event);
    flag.box = {flag.x - width / 2, area.center().y + 9 * scale, width, 12 * scale};
    if (!layout.flags.empty()) {
      flag.box.x = std::max(flag.box.x, layout.flags.back().box.x + pitch);
    }
    layout.flags.push_back(flag);
  }
  float right = area.right() - width;
  for (auto flag = layout.flags.rbegin(); flag != layout.flags.rend(); ++flag) {
    flag->box.x = std::min(flag->box.x, right);
    right = flag->box.x - pitch;
  }
}

// The stretch that is repeated, or the end of it that is set.
void draw_loop(Pen& pen, const TimeStripLayout& layout, const TimeMarks& marks) {
  const float bottom = layout.excess.bottom() + pen.px(2);
  if (marks.loops()) {
    const Rect& loop = layout.loop;
    pen.canvas.fill_rect({loop.x, loop.y, loop.w, bottom - loop.y},
                         Paint(ColourRole::kSelection, 0.16f));
    pen.canvas.fill_rect({loop.x, loop.y, loop.w, pen.px(3)}, Paint(ColourRole::kSelection, 0.8f));
  }
  for (const auto& [event, direction] :
       {std::pair(marks.loop_in, 1.0f), std::pair(marks.loop_out, -1.0f)}) {
    if (!event || *event >= layout.events) continue;
    const float x = layout.x_of(*event);
    const float top = layout.axis.y - pen.px(6);
    const std::array<Point, 3> bracket = {Point{x + direction * pen.px(4), top}, Point{x, top},
                                          Point{x, bottom}};
    pen.canvas.polyline(bracket, ColourRole::kSelection, 1.5f);
  }
}

void draw_flags(Pen& pen, const TimeStripLayout& layout) {
  const TextStyle style =
      pen.style(11, ColourRole::kStrong, Weight::kSemibold, Align::kCenter, Font::kMono);
  for (const TimeStripLayout::Flag& flag : layout.flags) {
    pen.canvas.line({flag.x, layout.axis.y}, {flag.x, flag.box.y}, ColourRole::kStrong, 1);
    pen.canvas.fill_rect(flag.box, ColourRole::kHover, 2);
    pen.text(flag.box.center().x, flag.box.center().y, std::to_string(flag.number), style);
  }
}

TextStyle label_style(const ViewContext& context) {
  return {11 * context.text_scale, Weight::kRegular, Font::kText, Align::kRight, ColourRole::kDim};
}

}  // namespace

float TimeStripLayout::x_of(std::uint32_t event) const {
  return axis.x + axis.w * static_cast<float>(event) / static_cast<float>(events);
}

std::uint32_t TimeStripLayout::event_at(float x) const {
  const float share = std::clamp((x - axis.x) / axis.w, 0.0f, 1.0f);
  return std::min(static_cast<std::uint32_t>(static_cast<double>(share) * events), events - 1);
}

TimeStripLayout time_strip_layout(const Canvas& canvas, const Rect& area,
                                  const ViewContext& context) {
  const float scale = context.text_scale;
  TimeStripLayout layout;
  const Excess excess = excess_of_block(context);
  layout.excess_name = excess.lanes > std::max(excess.memory, kTelling) ? "lost lanes" : "excess";
  const TextStyle style = label_style(context);
  const float labels =
      std::max(canvas.text_width("phases", style), canvas.text_width(layout.excess_name, style));
  const float gutter = area.w > 190 * scale ? labels + 8 * scale : 0;
  layout.events = static_cast<std::uint32_t>(context.study->trace->events.size());
  layout.axis = {area.x + gutter, area.center().y - 8 * scale, area.w - gutter - 6 * scale,
                 8 * scale};
  layout.excess = {layout.axis.x, layout.axis.bottom() + 3 * scale, layout.axis.w, 5 * scale};
  if (context.marks.loops() && *context.marks.loop_in < layout.events) {
    const float x = layout.x_of(*context.marks.loop_in);
    const float end = layout.x_of(std::min(*context.marks.loop_out + 1, layout.events));
    layout.loop = {x, layout.axis.y - 7 * scale, std::max(end - x, 3.0f), 6 * scale};
  }
  place_flags(layout, area, context.marks, scale);
  return layout;
}

std::string excess_words(const ViewContext& context) {
  const Excess excess = excess_of_block(context);
  return fmt::format(
      "Waste at each moment: extra sectors and wavefronts, or idle lanes, whichever is larger. In "
      "the whole block: {} of the sectors and wavefronts, {} of the lane slots.",
      format(100 * excess.memory, Unit::kPercent), format(100 * excess.lanes, Unit::kPercent));
}

void draw_time_strip(Canvas& canvas, const Rect& area, const ViewContext& context) {
  if (context.study == nullptr || !context.study->traced() || context.study->trace->events.empty())
    return;
  Pen pen(canvas, context);
  const KernelStudy& study = *context.study;
  const auto prepared = prepared_of(context);
  const TimeStripLayout layout = time_strip_layout(canvas, area, context);
  if (layout.axis.w < 8) return;
  const Strip phases{layout.axis, layout};
  const WarpTime time = time_of(study, *prepared, context.selection.warp);
  draw_phases(pen, phases, time);
  draw_lit(pen, layout, time, context);
  draw_excess(pen, {layout.excess, layout}, study, *prepared);
  if (layout.axis.x > area.x) {
    const float x = layout.axis.x - pen.px(8);
    pen.text(x, layout.axis.center().y - pen.px(3), has_phases(study) ? "phases" : "time",
             label_style(context));
    pen.text(x, layout.excess.center().y + pen.px(5), layout.excess_name, label_style(context));
  }
  draw_loop(pen, layout, context.marks);
  draw_flags(pen, layout);
  const float x = layout.x_of(std::min(context.selection.event, layout.events - 1));
  const float top = layout.axis.y - pen.px(9);
  canvas.line({x, top}, {x, layout.excess.bottom() + pen.px(6)}, ColourRole::kSelection, 2);
  canvas.fill_circle({x, top}, pen.px(4), ColourRole::kSelection);
}

}  // namespace tilescope
