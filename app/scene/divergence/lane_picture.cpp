#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "scene/divergence/lane_frame.h"
#include "scene/drawing/segments.h"

namespace tilescope {
namespace {

// A round number of instructions between the figures of the axis.
std::uint32_t axis_step(std::uint32_t instructions, float figures) {
  std::uint32_t step = 1;
  for (int i = 0; static_cast<float>(instructions) / static_cast<float>(step) > figures; ++i) {
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  }
  return step;
}

void draw_axis(Pen& pen, const LaneFrame& frame) {
  const WarpInSight& sight = frame.sight;
  const TextStyle style = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  const TextStyle last = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const std::string unit = format_count(sight.end) + " instructions";
  const float unit_left = frame.cells.right() - pen.width(unit, last);
  const std::uint32_t step =
      axis_step(sight.end - sight.begin, std::max(frame.cells.w / pen.px(90), 1.0f));
  float right = frame.cells.x - pen.px(20);
  for (std::uint32_t i = (sight.begin + step - 1) / step * step; i < sight.end; i += step) {
    const float x = frame.x_of(i);
    const std::string figure = format_count(i);
    const float half = pen.width(figure, style) / 2;
    if (x - half < right + pen.px(8) || x + half > unit_left - pen.px(12)) continue;
    pen.canvas.line({x, frame.axis - pen.px(9)}, {x, frame.axis - pen.px(6)}, ColourRole::kFaint,
                    1);
    pen.text(x, frame.axis, figure, style);
    right = x + half;
  }
  if (unit_left > frame.cells.x) pen.text(frame.cells.right(), frame.axis, unit, last);
}

void draw_now(Pen& pen, const LaneFrame& frame) {
  if (frame.sight.now < frame.sight.begin || frame.sight.now >= frame.sight.end) return;
  const float x = frame.x_of(frame.sight.now + 0.5);
  const float bottom = frame.chart.h > 0 ? frame.chart.bottom() : frame.cells.bottom();
  pen.canvas.line({x, frame.cells.y}, {x, bottom}, ColourRole::kSelection, 2);
}

// One swatch and its words; returns where it ends, or `x` when there was no room.
float draw_key(Pen& pen, float x, float y, float right, LaneState state, std::int16_t path,
               std::string_view words) {
  const TextStyle style = pen.style(11, ColourRole::kDim);
  const float end = x + pen.px(18) + pen.width(words, style);
  if (end > right) return x;
  const Rect swatch{x, y - pen.px(5), pen.px(12), pen.px(10)};
  if (state == LaneState::kWaiting) pen.canvas.hatch_rect(swatch, waiting_ink(), pen.px(4));
  fill_lanes(pen, swatch, state, path);
  if (state != LaneState::kWorking) pen.outline(swatch, ColourRole::kLine);
  pen.text(x + pen.px(18), y, words, style);
  return end + pen.px(16);
}

void draw_legend(Pen& pen, const Rect& row, const WarpInSight& sight, bool some_meet) {
  const LaneSlots& slots = sight.lanes->slots;
  const float y = row.center().y;
  float x = draw_key(pen, row.x, y, row.right(), LaneState::kWorking, kTogether, "works, together");
  if (!sight.lanes->divergences.empty()) {
    x = draw_key(pen, x, y, row.right(), LaneState::kWorking, 0, "works on path A, B …");
    x = draw_key(pen, x, y, row.right(), LaneState::kWaiting, 0, "waits for the others");
  }
  if (slots.predicated > 0) {
    x = draw_key(pen, x, y, row.right(), LaneState::kPredicated, kTogether, "predicate is false");
  }
  if (slots.done > 0) {
    x = draw_key(pen, x, y, row.right(), LaneState::kDone, 0, "has only to return");
  }
  if (slots.absent > 0) {
    x = draw_key(pen, x, y, row.right(), LaneState::kAbsent, 0, "no thread");
  }
  if (sight.lanes->divergences.empty()) return;
  const TextStyle style = pen.style(11, ColourRole::kDim);
  for (const auto& [parts, words] :
       {std::pair(true, "lanes part"), std::pair(false, "meet again")}) {
    const float end = x + pen.px(12) + pen.width(words, style);
    if (end > row.right() || (!parts && !some_meet)) return;
    draw_branch_mark(pen, {x + pen.px(4), y + (parts ? pen.px(3.5f) : -pen.px(3.5f))},
                     parts ? 1.0f : -1.0f, parts ? ColourRole::kExcess : ColourRole::kIdeal);
    pen.text(x + pen.px(12), y, words, style);
    x = end + pen.px(16);
  }
}

// How much of the warp's time is in sight: a click zooms in around now. Returns its left end.
float draw_windows(Pen& pen, const Rect& row, const WarpInSight& sight, std::int64_t chosen) {
  static constexpr std::array<std::int64_t, 4> kWindows = {64, 256, 1024, 0};
  const auto size = static_cast<std::int64_t>(sight.lanes->events.size());
  const bool whole = chosen <= 0 || chosen >= size;
  if (size <= kWindows[0] || row.w < pen.px(330)) return row.right();
  std::vector<Segment> segments;
  for (const std::int64_t window : kWindows) {
    if (window >= size) continue;
    const std::string count = format_count(static_cast<std::uint64_t>(window == 0 ? size : window));
    Hit hit{.kind = HitKind::kSetting, .value = window, .name = "lane_window"};
    hit.tooltip = window == 0
                      ? fmt::format("Shows all {} instructions of warp {}.", count, sight.warp)
                      : fmt::format("Shows {} instructions around the selected time.", count);
    segments.push_back({window == 0 ? "all" : count,
                        window == 0 ? whole : !whole && window == chosen, std::move(hit)});
  }
  return draw_segments(pen, row.right(), row.center().y, segments);
}

}  // namespace

void draw_lane_picture(Pen& pen, const Rect& area, const ViewContext& context,
                       const WarpInSight& sight) {
  const float head = pen.px(18);
  const Rect heading{area.x, area.y, area.w, head};
  const float words_right =
      draw_windows(pen, heading, sight, context.settings.lane_window) - pen.px(12);
  const std::uint32_t merged = sight.columns.front().end - sight.columns.front().begin;
  pen.heading(area.x, heading.center().y, fmt::format("WARP {}", sight.warp),
              merged == 1 ? std::string("its 32 lanes, instruction by instruction")
                          : fmt::format("its 32 lanes over time, {} instructions a column",
                                        format_count(merged)),
              words_right);
  const bool parts = !sight.lanes->divergences.empty();
  const bool with_chart = area.h >= pen.px(240);
  const float gutter = pen.px(26);
  LaneFrame frame{{}, {}, {}, 0, 0, sight};
  const float marks = parts ? pen.px(20) : pen.px(4);
  const float band = parts ? pen.px(16) : 0;
  const float chart = with_chart ? pen.px(36) : 0;
  const float axis = pen.px(20);
  const float legend = pen.px(18);
  frame.marks = area.y + head + marks / 2 - pen.px(1);
  frame.band = {area.x + gutter, area.y + head + marks, area.w - gutter - pen.px(4), band};
  const float top = frame.band.bottom() + (parts ? 0 : pen.px(4));
  frame.cells = {frame.band.x, top, frame.band.w, area.bottom() - legend - axis - chart - top};
  if (frame.cells.h < 32 || frame.cells.w < 32) return;
  frame.cells.h = std::floor(frame.cells.h / 16) * 16;  // rows of whole or half pixels
  if (with_chart) {
    frame.chart = {frame.cells.x, frame.cells.bottom() + pen.px(6), frame.cells.w,
                   chart - pen.px(6)};
  }
  frame.axis = (with_chart ? frame.chart : frame.cells).bottom() + axis / 2 + pen.px(2);
  draw_lane_cells(pen, frame);
  bool some_meet = false;
  if (parts) {
    draw_lane_paths(pen, frame);
    some_meet = draw_lane_branches(pen, frame, context);
  }
  if (with_chart) draw_lanes_at_work(pen, frame);
  draw_lane_numbers(pen, frame, context.selection.lane);
  draw_axis(pen, frame);
  draw_legend(pen, {frame.cells.x, frame.axis + axis / 2 - pen.px(2), frame.cells.w, legend}, sight,
              some_meet);
  hit_lane_columns(pen, frame, context);
  draw_now(pen, frame);
}

}  // namespace tilescope
