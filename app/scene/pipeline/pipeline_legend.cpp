#include <fmt/format.h>

#include <array>
#include <string>

#include "scene/drawing/stall_mark.h"
#include "scene/pipeline/pipeline_scene.h"

namespace tilescope {
namespace {

struct LegendItem {
  std::string words;
  StallMark mark;
  std::string tooltip;
};

LegendItem of_stall(Stall stall) { return {name_of(stall), mark_of(stall), meaning_of(stall)}; }

std::array<LegendItem, PipelineMarks().size()> legend_items(const ShortLatencyUnits& units) {
  return {{
      {"load",
       {ColourRole::kFirst},
       "A tile on its way into shared memory; a warp in a phase that loads."},
      {"compute",
       {ColourRole::kSecond},
       "From the first load of a tile until the last instruction that works with it; a warp in a "
       "phase that computes."},
      {"store", {ColourRole::kThird}, "A warp in a phase that stores."},
      {"barrier", mark_of(Stall::kBarrier),
       "The warp waits for the other warps of its block (Nsight: barrier)."},
      {"waits for global memory", mark_of(Stall::kLongScoreboard),
       "A value from global memory, or a group of cp.async, is not there yet (Nsight: long "
       "scoreboard)."},
      {"for " + units.words(), mark_of(Stall::kShortScoreboard),
       fmt::format("A value from {} is not there yet (Nsight: short scoreboard).", units.words())},
      {"other work",
       {Paint(ColourRole::kDim, 0.7f)},
       "A warp in no phase of its source: addresses, loops, its start and its end."},
      of_stall(Stall::kWait),
      of_stall(Stall::kMathPipeThrottle),
      of_stall(Stall::kMioThrottle),
      of_stall(Stall::kLgThrottle),
      of_stall(Stall::kBranchResolving),
      of_stall(Stall::kNotSelected),
  }};
}

// Calls draw(x, line, item) for each item of `marks`. Returns the number of lines and, of the last,
// the end.
template <typename Draw>
std::pair<int, float> lay_out(const Pen& pen, float width, PipelineMarks marks,
                              const ShortLatencyUnits& units, const Draw& draw) {
  const auto items = legend_items(units);
  const TextStyle style = pen.style(11, ColourRole::kDim);
  float x = 0;
  int line = 0;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (!marks[i]) continue;
    const LegendItem& item = items[i];
    const float wide = pen.px(18) + pen.width(item.words, style);
    if (x > 0 && x + wide > width) {
      x = 0;
      ++line;
    }
    draw(x, line, item);
    x += wide + pen.px(16);
  }
  return {line + 1, x - pen.px(16)};
}

}  // namespace

std::size_t legend_mark_of(Stall stall) {
  switch (stall) {
    case Stall::kBarrier:
      return kMarkBarrier;
    case Stall::kLongScoreboard:
      return kMarkGlobalWait;
    case Stall::kShortScoreboard:
      return kMarkSharedWait;
    case Stall::kWait:
      return kMarkWait;
    case Stall::kMathPipeThrottle:
      return kMarkMathThrottle;
    case Stall::kMioThrottle:
      return kMarkMioThrottle;
    case Stall::kLgThrottle:
      return kMarkLgThrottle;
    case Stall::kBranchResolving:
      return kMarkBranch;
    case Stall::kNotSelected:
      return kMarkNotSelected;
    case Stall::kNone:
      break;
  }
  return kMarkOther;
}

PipelineMarks possible_marks(const Pipeline& pipeline, bool with_bar) {
  PipelineMarks marks((1U << kMarkWait) - 1);
  if (with_bar) return marks;
  for (std::size_t i = 1; i < kStallCount; ++i) {
    if (pipeline.timing.stalled[i] > 0) marks.set(legend_mark_of(static_cast<Stall>(i)));
  }
  return marks;
}

int legend_lines(const Pen& pen, float width, PipelineMarks marks, const ShortLatencyUnits& units) {
  const auto [lines, end] = lay_out(pen, width, marks, units, [](float, int, const LegendItem&) {});
  const float provenance = pen.width("modelled", pen.style(11)) + pen.px(24);
  return lines + (end + provenance > width ? 1 : 0);
}

Point draw_pipeline_legend(Pen& pen, const Rect& area, PipelineMarks marks,
                           const ShortLatencyUnits& units) {
  const TextStyle style = pen.style(11, ColourRole::kDim);
  const auto middle_of = [&](int line) {
    return area.y + pen.px(kLegendLine) * (static_cast<float>(line) + 0.5f);
  };
  const auto [lines, end] =
      lay_out(pen, area.w, marks, units, [&](float x, int line, const LegendItem& item) {
        const float y = middle_of(line);
        x += area.x;
        draw_stall_mark(pen, {x, y - pen.px(4), pen.px(12), pen.px(8)}, item.mark);
        pen.text(x + pen.px(18), y, item.words, style);
        pen.hit({x, y - pen.px(8), pen.px(18) + pen.width(item.words, style), pen.px(16)},
                HitKind::kNone, 0, item.tooltip);
      });
  return {area.x + end, middle_of(lines - 1)};
}

}  // namespace tilescope
