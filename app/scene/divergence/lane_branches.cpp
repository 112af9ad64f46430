#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "scene/divergence/lane_frame.h"

namespace tilescope {
namespace {

std::string times_words(const Divergence& divergence) {
  if (divergence.is_loop) {
    return divergence.most_turns == 0
               ? std::string("loop")
               : fmt::format("loop, {}–{} turns", divergence.fewest_turns, divergence.most_turns);
  }
  return divergence.paths < 2 ? std::string("some wait")
                              : fmt::format("{} ways", divergence.groups);
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
          ? fmt::format("they do not meet again in {} instructions", length)
          : fmt::format("they are together again {} instructions later{}", length,
                        line_of(context, sight, divergence.end) == 0
                            ? std::string()
                            : fmt::format(", on line {}", line_of(context, sight, divergence.end)));
  return fmt::format("{} the {} lanes part into {} groups; {}. {} lane slots are lost to waiting.",
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
