#include <fmt/format.h>

#include <algorithm>

#include "analysis/measured_phases.h"
#include "scene/drawing/phase_paint.h"
#include "scene/pipeline/pipeline_scene.h"

namespace tilescope {
namespace {

// The cycle of the model at which the block comes to its first phase: there the measured ones,
// which begin with the first stamp, are laid on.
std::uint32_t first_phase_cycle(const Pipeline& pipeline) {
  std::uint32_t first = kNever;
  for (const std::vector<WarpMoment>& warp : pipeline.moments) {
    const auto marked = std::find_if(warp.begin(), warp.end(), [&](const WarpMoment& moment) {
      return pipeline.phase[pipeline.trace->events[moment.event].instruction] >= 0;
    });
    if (marked != warp.end()) first = std::min(first, marked->waits_from);
  }
  return first == kNever ? 0 : first;
}

std::string cost_of_measuring(const MeasuredPhases& phases) {
  std::string words =
      fmt::format("stamps {} of the time", format(100 * phases.stamp_share, Unit::kPercent));
  if (phases.slowdown > 0) words += ", kernel " + times_words(phases.slowdown);
  return words;
}

}  // namespace

void draw_measured_phases(Pen& pen, const Rect& area, const CycleAxis& axis,
                          const ViewContext& context, const Pipeline& pipeline) {
  const MeasuredPhases& phases = *context.phases;
  const std::uint32_t warp = context.selection.warp;
  const std::uint32_t zero = first_phase_cycle(pipeline);
  const Rect row{axis.box.x, area.y + pen.px(16), axis.box.w, area.bottom() - area.y - pen.px(18)};
  const TextStyle style = pen.style(11, ColourRole::kDim);
  const float middle = area.y + pen.px(7);
  pen.source_mark({row.x + pen.px(4), middle}, phases.source, ColourRole::kDim);
  const std::string source(name_of(phases.source));
  const std::uint32_t modelled = pipeline.timing.cycles - std::min(pipeline.timing.cycles, zero);
  pen.first_that_fits(
      row.x + pen.px(13), middle,
      {fmt::format("{} by clock stamps at its phases: {} until the last one, modelled {} "
                   "until the end ({})",
                   source, format(phases.cycles, Unit::kCycles), format(modelled, Unit::kCycles),
                   cost_of_measuring(phases)),
       fmt::format("{} by clock stamps: {} ({})", source, format(phases.cycles, Unit::kCycles),
                   cost_of_measuring(phases)),
       fmt::format("{} ({})", source, cost_of_measuring(phases)), source},
      style, row.w - pen.px(13));
  pen.hit({row.x, area.y, row.w, pen.px(14)}, HitKind::kNone, 0,
          fmt::format("A build of the kernel that notes the clock at each TILESCOPE_PHASE mark ran "
                      "on the GPU: {}. It is code of its own: where it differs from the model, "
                      "both can be the reason.",
                      cost_of_measuring(phases)));
  pen.text_if_fits(area.x, row.y + row.h / 2, "phases", style, axis.box.x - area.x - pen.px(4));
  pen.canvas.fill_rect(row, Paint(ColourRole::kRaised, 0.5f), 1.5f);
  if (warp >= phases.warps.size()) return;
  for (const MeasuredPhases::Span& span : phases.warps[warp]) {
    const float begin = std::max(axis.x_of(zero + span.begin), row.x);
    const float end = std::min(axis.x_of(zero + span.end), row.right());
    if (end <= begin) continue;
    const Rect box{begin, row.y, end - begin, row.h};
    fill_time(pen, box, phase_paint(*context.study->program, span.phase));
    if (box.w < pen.px(3)) continue;
    pen.hit(box, HitKind::kWarp, warp,
            fmt::format("Warp {} was in the phase \"{}\" for {}, from {} after the block's first "
                        "stamp: {}.",
                        warp, phase_name(*context.study->program, span.phase),
                        format(span.end - span.begin, Unit::kCycles),
                        format(span.begin, Unit::kCycles), source));
  }
}

}  // namespace tilescope
