#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scene/divergence/divergence_scene.h"
#include "scene/drawing/pen.h"

namespace tilescope {

// Where the rows of the picture lie, and how time runs through it.
struct LaneFrame {
  Rect cells;
  Rect band;        // the paths
  Rect chart;       // lanes at work; h 0: no room
  float marks = 0;  // middle of the row of branches
  float axis = 0;   // middle of the row of instruction numbers
  const WarpInSight& sight;

  [[nodiscard]] float x_of(double instruction) const {
    const double along = (instruction - sight.begin) / static_cast<double>(sight.end - sight.begin);
    return std::round(cells.x + cells.w * static_cast<float>(std::clamp(along, 0.0, 1.0)));
  }
  [[nodiscard]] std::uint32_t instruction_at(float x) const {
    const float along = std::clamp((x - cells.x) / cells.w, 0.0f, 1.0f);
    return sight.begin +
           static_cast<std::uint32_t>(along * static_cast<float>(sight.end - sight.begin));
  }
};

enum class LaneState : std::uint8_t { kWorking, kPredicated, kWaiting, kDone, kAbsent };

// Seen on a projector too.
[[nodiscard]] inline Paint waiting_ink() { return {ColourRole::kDim, 0.8f}; }
// The line of the instruction of this number in the warp; 0: none.
[[nodiscard]] std::uint32_t line_of(const ViewContext& context, const WarpInSight& sight,
                                    std::uint32_t index);

// Lanes that wait are left as the hatch below.
void fill_lanes(Pen& pen, const Rect& box, LaneState state, std::int16_t path);
// Columns that look alike are one, and neighbouring lanes in one state are one rectangle.
void draw_lane_cells(Pen& pen, const LaneFrame& frame);
void hit_lane_columns(Pen& pen, const LaneFrame& frame, const ViewContext& context);
// Every so many lanes its number; the selected one's stands out, and those beside it make room.
void draw_lane_numbers(Pen& pen, const LaneFrame& frame, int selected);
// How many of 32 lanes work, and what is lost above.
void draw_lanes_at_work(Pen& pen, const LaneFrame& frame);

// A strip in each path's colour with its letter where there is room; a thin line while together.
void draw_lane_paths(Pen& pen, const LaneFrame& frame);
// direction 1: lanes part, -1: they meet.
void draw_branch_mark(Pen& pen, Point tip, float direction, Paint paint);
// Where lanes part (down) and meet (up), with the branch's line. Marks that would lie on each other
// are left out; words come before the mark of the meeting, which the line under them shows too.
// Returns whether a meeting is marked.
bool draw_lane_branches(Pen& pen, const LaneFrame& frame, const ViewContext& context);

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

// What a mark of the picture means: how lanes look, or where paths diverge (1) and reconverge (-1).
struct Key {
  LaneState state = LaneState::kWorking;
  std::int16_t path = 0;
  int branch = 0;
  std::string_view words;
};

// Those that the picture needs; what costs the most comes early, for little room.
std::vector<Key> keys_of(const WarpInSight& sight, bool some_meet) {
  const LaneSlots& slots = sight.lanes->slots;
  const bool diverges = !sight.lanes->divergences.empty();
  std::vector<Key> keys = {{LaneState::kWorking, kTogether, 0, "all lanes together"}};
  if (diverges) {
    keys.push_back({LaneState::kWorking, 0, 0, "active on path A, B …"});
    keys.push_back({LaneState::kWaiting, 0, 0, "waits for other paths"});
  }
  if (slots.predicated > 0) {
    keys.push_back({LaneState::kPredicated, kTogether, 0, "predicate is false"});
  }
  if (slots.done > 0) keys.push_back({LaneState::kDone, 0, 0, "finished"});
  if (slots.absent > 0) keys.push_back({LaneState::kAbsent, 0, 0, "no thread"});
  if (diverges) keys.push_back({.branch = 1, .words = "diverge"});
  if (diverges && some_meet) keys.push_back({.branch = -1, .words = "reconverge"});
  return keys;
}

TextStyle key_style(const Pen& pen) { return pen.style(11, ColourRole::kDim); }

float key_indent(const Pen& pen, const Key& key) { return pen.px(key.branch != 0 ? 12 : 18); }

// Where each key begins, in rows of this width; `y` is a row's number.
std::vector<Point> key_places(const Pen& pen, float width, const std::vector<Key>& keys) {
  std::vector<Point> places;
  Point next{0, 0};
  for (const Key& key : keys) {
    const float wide = key_indent(pen, key) + pen.width(key.words, key_style(pen));
    if (next.x > 0 && next.x + wide > width) next = {0, next.y + 1};
    places.push_back(next);
    next.x += wide + pen.px(16);
  }
  return places;
}

void draw_key(Pen& pen, float x, float y, const Key& key) {
  if (key.branch != 0) {
    draw_branch_mark(pen, {x + pen.px(4), y + pen.px(3.5f) * static_cast<float>(key.branch)},
                     static_cast<float>(key.branch),
                     key.branch > 0 ? ColourRole::kExcess : ColourRole::kIdeal);
  } else {
    const Rect swatch{x, y - pen.px(5), pen.px(12), pen.px(10)};
    if (key.state == LaneState::kWaiting) {
      pen.canvas.hatch_rect(swatch, waiting_ink(), pen.px(4));
    }
    fill_lanes(pen, swatch, key.state, key.path);
    if (key.state != LaneState::kWorking) pen.outline(swatch, ColourRole::kLine);
  }
  pen.text(x + key_indent(pen, key), y, key.words, key_style(pen));
}

constexpr float kLegendRow = 18;

void draw_legend(Pen& pen, const Rect& area, const std::vector<Key>& keys) {
  const std::vector<Point> places = key_places(pen, area.w, keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    draw_key(pen, area.x + places[i].x, area.y + pen.px(kLegendRow) * (places[i].y + 0.5f),
             keys[i]);
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
                          : fmt::format("its 32 lanes over time, {} instructions per column",
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
  const float wide = area.w - gutter - pen.px(4);
  const float legend =  // as if paths met: whether they do is known when they are drawn
      pen.px(kLegendRow) * (key_places(pen, wide, keys_of(sight, true)).back().y + 1);
  frame.marks = area.y + head + marks / 2 - pen.px(1);
  frame.band = {area.x + gutter, area.y + head + marks, wide, band};
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
  draw_legend(pen, {frame.cells.x, frame.axis + axis / 2 - pen.px(2), frame.cells.w, legend},
              keys_of(sight, some_meet));
  hit_lane_columns(pen, frame, context);
  draw_now(pen, frame);
}

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
  std::string words = per(slots.working) + " of 32 lanes are active";
  for (const auto& [count, what] :
       {std::pair(slots.waiting, "wait for the others"),
        std::pair(slots.predicated, "are disabled by a predicate"),
        std::pair(slots.done, "have finished"), std::pair(slots.absent, "have no thread")}) {
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

namespace {

std::string times_words(const Divergence& divergence) {
  if (divergence.is_loop) {
    return divergence.most_turns == 0 ? std::string("loop")
                                      : fmt::format("loop, {}–{} iterations",
                                                    divergence.fewest_turns, divergence.most_turns);
  }
  return divergence.paths < 2 ? std::string("some lanes wait")
                              : fmt::format("{} paths", divergence.groups);
}

// "Line 45: the 32 lanes part into 8 groups ..."
std::string tooltip_of(const ViewContext& context, const WarpInSight& sight,
                       const Divergence& divergence) {
  const auto size = static_cast<std::uint32_t>(sight.lanes->events.size());
  const std::uint32_t line =
      context.study->program->instructions()[divergence.branch].outermost.line;
  const std::string where = line == 0 ? std::string("Here") : fmt::format("Line {}:", line);
  const std::string length = format_count(divergence.end - divergence.begin);
  const std::string meet =
      divergence.end == size
          ? fmt::format("they do not reconverge in {} instructions", length)
          : fmt::format("they reconverge {} instructions later{}", length,
                        line_of(context, sight, divergence.end) == 0
                            ? std::string()
                            : fmt::format(", on line {}", line_of(context, sight, divergence.end)));
  return fmt::format("{} the {} lanes split into {} groups; {}. {} lane slots are lost to waiting.",
                     where, std::popcount(divergence.lanes), divergence.groups, meet,
                     format_count(divergence.waiting));
}

// The first of `candidates` that fits, "" when none does.
std::string first_fitting(const Pen& pen, const std::vector<std::string>& candidates,
                          const TextStyle& style, float room) {
  for (const std::string& candidate : candidates) {
    if (pen.width(candidate, style) <= room) return candidate;
  }
  return {};
}

}  // namespace

void draw_lane_paths(Pen& pen, const LaneFrame& frame) {
  const std::vector<LaneColumn>& columns = frame.sight.columns;
  for (std::size_t first = 0; first < columns.size();) {
    std::size_t last = first + 1;
    while (last < columns.size() && columns[last].path == columns[first].path) ++last;
    const std::int16_t path = columns[first].path;
    const float x = frame.x_of(columns[first].begin);
    const float right = frame.x_of(columns[last - 1].end);
    first = last;
    if (path < 0) {
      pen.canvas.fill_rect({x, frame.band.bottom() - pen.px(3), right - x, pen.px(2)},
                           path_paint(path));
      continue;
    }
    const Paint paint = path_paint(path);
    const bool spaced = right - x > pen.px(5);
    pen.canvas.fill_rect({x, frame.band.y, right - x - (spaced ? 1 : 0), frame.band.h - 1}, paint,
                         spaced ? 2 : 0);
    const TextStyle style =
        pen.style(11, text_on(paint, pen.theme), Weight::kSemibold, Align::kCenter);
    const std::string name = path_name(path);
    if (pen.width(name, style) + pen.px(2) <= right - x) {
      pen.text((x + right) / 2, frame.band.center().y, name, style);
    }
  }
}

void draw_branch_mark(Pen& pen, Point tip, float direction, Paint paint) {
  const std::array<Point, 3> points = {tip, Point{tip.x - pen.px(4), tip.y - direction * pen.px(7)},
                                       Point{tip.x + pen.px(4), tip.y - direction * pen.px(7)}};
  pen.canvas.fill_polygon(points, paint);
}

bool draw_lane_branches(Pen& pen, const LaneFrame& frame, const ViewContext& context) {
  const WarpInSight& sight = frame.sight;
  const std::vector<Divergence>& all = sight.lanes->divergences;
  const TextStyle style = pen.style(11, ColourRole::kText, Weight::kMedium);
  bool some_meet = false;
  const auto first_after = [&](std::uint32_t instruction) {
    return std::ranges::lower_bound(all, instruction, {}, &Divergence::begin);
  };
  auto next = first_after(sight.begin);
  if (next != all.begin() && std::prev(next)->end > sight.begin) --next;
  while (next != all.end() && next->begin < sight.end) {
    const Divergence& divergence = *next;
    const float x = frame.x_of(divergence.begin);
    const float end = frame.x_of(divergence.end);
    const float base = frame.band.y - pen.px(2);
    pen.canvas.line({x, base}, {end, base}, Paint(ColourRole::kExcess, 0.7f), 1);
    next = first_after(std::max(frame.instruction_at(x + pen.px(10)), divergence.begin + 1));
    const float room_right = next == all.end() || next->begin >= sight.end
                                 ? frame.cells.right()
                                 : frame.x_of(next->begin);
    bool words_in_the_way = false;  // of the mark where lanes meet
    if (divergence.begin >= sight.begin) {
      draw_branch_mark(pen, {x, base}, 1, ColourRole::kExcess);
      const std::uint32_t line =
          context.study->program->instructions()[divergence.branch].outermost.line;
      const std::string where = line == 0 ? std::string("branch") : fmt::format("line {}", line);
      const std::string words = first_fitting(pen, {where + ": " + times_words(divergence), where},
                                              style, room_right - x - pen.px(20));
      pen.text(x + pen.px(7), frame.marks, words, style);
      const float right = x + pen.px(7) + pen.width(words, style);
      words_in_the_way =
          !words.empty() && right > end - pen.px(6) && x + pen.px(7) < end + pen.px(6);
    }
    const bool meets = divergence.end < sight.lanes->events.size() && divergence.end <= sight.end;
    if (meets && end - x > pen.px(10) && !words_in_the_way) {
      draw_branch_mark(pen, {end, base - pen.px(7)}, -1, ColourRole::kIdeal);
      some_meet = true;
    }
    const std::uint32_t line =
        context.study->program->instructions()[divergence.branch].outermost.line;
    pen.hit({x - pen.px(4), frame.marks - pen.px(9), std::max(end - x, pen.px(8)), pen.px(18)},
            line == 0 ? HitKind::kNone : HitKind::kLine, line,
            tooltip_of(context, sight, divergence));
  }
  return some_meet;
}

}  // namespace tilescope
