#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "scene/divergence/lane_frame.h"

namespace tilescope {
namespace {

LaneState state_of(const LaneStates& states, std::uint32_t lane) {
  const std::uint32_t bit = 1u << lane;
  if ((states.working & bit) != 0) return LaneState::kWorking;
  if ((states.predicated & bit) != 0) return LaneState::kPredicated;
  if ((states.waiting & bit) != 0) return LaneState::kWaiting;
  return (states.done & bit) != 0 ? LaneState::kDone : LaneState::kAbsent;
}

std::string lanes_words(const LaneSlots& slots) {
  const auto per = [&](std::uint64_t count) {
    const double mean = static_cast<double>(count) /
                        static_cast<double>(std::max<std::uint64_t>(slots.instructions, 1));
    return mean == static_cast<double>(static_cast<int>(mean)) ? fmt::format("{:.0f}", mean)
                                                               : fmt::format("{:.1f}", mean);
  };
  std::string words = per(slots.working) + " of 32 lanes work";
  for (const auto& [count, what] :
       {std::pair(slots.waiting, "wait for the others"),
        std::pair(slots.predicated, "are switched off by a predicate"),
        std::pair(slots.done, "have only to return"), std::pair(slots.absent, "have no thread")}) {
    if (count != 0) words += fmt::format(", {} {}", per(count), what);
  }
  return words;
}

}  // namespace

std::uint32_t line_of(const ViewContext& context, const WarpInSight& sight, std::uint32_t index) {
  const TraceEvent& event = context.study->trace->events[sight.lanes->events[index]];
  return context.study->program->instructions()[event.instruction].outermost.line;
}

void fill_lanes(Pen& pen, const Rect& box, LaneState state, std::int16_t path) {
  Paint paint = path_paint(path);
  switch (state) {
    case LaneState::kWorking:
      if (paint.opacity < 1) pen.canvas.fill_rect(box, ColourRole::kBackground);
      pen.canvas.fill_rect(box, paint);
      break;
    case LaneState::kPredicated:
      pen.canvas.fill_rect(box, ColourRole::kBackground);
      paint.opacity *= 0.35f;
      pen.canvas.fill_rect(box, paint);
      break;
    case LaneState::kDone:
      pen.canvas.fill_rect(box, ColourRole::kRaised);
      break;
    case LaneState::kAbsent:
      pen.canvas.fill_rect(box, ColourRole::kBackground);
      break;
    case LaneState::kWaiting:
      break;
  }
}

void draw_lane_cells(Pen& pen, const LaneFrame& frame) {
  const std::vector<LaneColumn>& columns = frame.sight.columns;
  const Rect& box = frame.cells;
  const float pitch = box.h / 32;
  const bool some_wait = std::ranges::any_of(
      columns, [](const LaneColumn& column) { return column.states.waiting != 0; });
  pen.canvas.fill_rect(box, Paint(ColourRole::kRaised, 0.6f));
  if (some_wait) pen.canvas.hatch_rect(box, waiting_ink(), pen.px(6));
  for (std::size_t first = 0; first < columns.size();) {
    std::size_t last = first + 1;
    while (last < columns.size() && columns[last].states == columns[first].states &&
           columns[last].path == columns[first].path) {
      ++last;
    }
    const float x = frame.x_of(columns[first].begin);
    const float right = frame.x_of(columns[last - 1].end);
    for (std::uint32_t lane = 0; lane < 32;) {
      const LaneState state = state_of(columns[first].states, lane);
      std::uint32_t end = lane + 1;
      while (end < 32 && state_of(columns[first].states, end) == state) ++end;
      fill_lanes(pen,
                 {x, box.y + pitch * static_cast<float>(lane), right - x,
                  pitch * static_cast<float>(end - lane)},
                 state, columns[first].path);
      lane = end;
    }
    first = last;
  }
  if (pitch < 4) return;
  for (int lane = 1; lane < 32; ++lane) {
    const float y = box.y + pitch * static_cast<float>(lane);
    pen.canvas.line({box.x, y}, {box.right(), y}, Paint(ColourRole::kBackground, 0.55f), 1);
  }
}

void hit_lane_columns(Pen& pen, const LaneFrame& frame, const ViewContext& context) {
  const WarpInSight& sight = frame.sight;
  const float bottom = frame.chart.h > 0 ? frame.chart.bottom() : frame.cells.bottom();
  for (const LaneColumn& column : sight.columns) {
    const float x = frame.x_of(column.begin);
    const Rect box{x, frame.band.y, frame.x_of(column.end) - x, bottom - frame.band.y};
    if (!pen.canvas.wants_hit(box)) continue;
    Hit hit{.kind = HitKind::kEvent, .value = sight.lanes->events[column.begin]};
    const std::string which =
        column.end - column.begin == 1
            ? fmt::format("Instruction {}", format_count(std::uint64_t{column.begin} + 1))
            : fmt::format("Instructions {} to {}", format_count(std::uint64_t{column.begin} + 1),
                          format_count(column.end));
    const std::uint32_t line = line_of(context, sight, column.begin);
    hit.tooltip = fmt::format("{} of warp {}{}{}: {}.", which, sight.warp,
                              line == 0 ? std::string() : fmt::format(", line {}", line),
                              column.path < 0 ? std::string() : ", path " + path_name(column.path),
                              lanes_words(column.slots));
    pen.canvas.hit(box, std::move(hit));
  }
}

void draw_lane_numbers(Pen& pen, const LaneFrame& frame, int selected) {
  const float pitch = frame.cells.h / 32;
  const float x = frame.cells.x - pen.px(6);
  const TextStyle style = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const TextStyle chosen = pen.style(11, ColourRole::kSelection, Weight::kBold, Align::kRight);
  const int every = pitch * 8 >= pen.px(14) ? 8 : pitch * 16 >= pen.px(14) ? 16 : 32;
  const auto middle_of = [&](int lane) {
    return std::max(frame.cells.y + pitch * (static_cast<float>(lane) + 0.5f),
                    frame.cells.y + pen.px(5));
  };
  for (int lane = 0; lane < 32; ++lane) {
    const float y = frame.cells.y + pitch * static_cast<float>(lane);
    const bool room = std::abs(middle_of(lane) - middle_of(selected)) >= pen.px(12);
    if (lane == selected || (lane % every == 0 && room)) {
      pen.text(x, middle_of(lane), std::to_string(lane), lane == selected ? chosen : style);
    }
    pen.hit({frame.cells.x - pen.px(26), y, pen.px(26), pitch}, HitKind::kLane, lane,
            fmt::format("Lane {} of warp {}.", lane, frame.sight.warp));
    if (lane != selected) continue;
    const float tip = y + pitch / 2;
    const std::array<Point, 3> arrow = {Point{frame.cells.x - pen.px(4), tip - pen.px(3)},
                                        Point{frame.cells.x, tip},
                                        Point{frame.cells.x - pen.px(4), tip + pen.px(3)}};
    pen.canvas.fill_polygon(arrow, ColourRole::kSelection);
  }
}

void draw_lanes_at_work(Pen& pen, const LaneFrame& frame) {
  const Rect& box = frame.chart;
  pen.canvas.fill_rect(box, Paint(ColourRole::kExcess, 0.28f));
  const std::vector<LaneColumn>& columns = frame.sight.columns;
  const auto height_of = [&](const LaneColumn& column) {
    const double share = 1 - column.slots.lost_share();
    return static_cast<float>(static_cast<int>(share * 64 + 0.5)) / 64 * box.h;
  };
  for (std::size_t first = 0; first < columns.size();) {
    const float height = height_of(columns[first]);
    std::size_t last = first + 1;
    while (last < columns.size() && height_of(columns[last]) == height) ++last;
    const float x = frame.x_of(columns[first].begin);
    const Rect bar{x, box.bottom() - height, frame.x_of(columns[last - 1].end) - x, height};
    pen.canvas.fill_rect(bar, ColourRole::kPanel);
    pen.canvas.fill_rect(bar, Paint(ColourRole::kIdeal, 0.8f));
    first = last;
  }
  const TextStyle style = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float x = box.x - pen.px(6);
  pen.text(x, box.y + pen.px(5), "32", style);
  pen.text(x, box.bottom() - pen.px(5), "0", style);
}

}  // namespace tilescope
