#include "scene/pipeline/pipeline_warps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/time/measured_phases.h"
#include "analysis/time/warp_activity.h"
#include "core/conditions.h"
#include "scene/pipeline/pipeline_scene.h"
#include "scene/view/hovered_line.h"
#include "scene/view/phase_paint.h"

namespace tilescope {
namespace {

constexpr float kLeastUnitSlice = 1.5f;  // px
constexpr float kLeastRowSlice = 2.5f;   // in runs wide enough for a mark to be recognised
constexpr float kTallestRow = 44;

// Slices of a warp that cover the axis; the first and the last may reach beyond it.
struct RowSlices {
  std::vector<WarpSlice> slices;
  double first = 0;  // cycle
  double each = 1;   // cycles
};

// The shortest that are `least` px wide, so less than twice as wide.
RowSlices slices_of(const CycleAxis& axis, const Pipeline& pipeline, std::uint32_t warp,
                    float least) {
  const double wanted = static_cast<double>(least / std::max(axis.box.w, 1.0f)) * axis.cycles;
  const int level = std::max(0, static_cast<int>(std::ceil(std::log2(wanted))));
  RowSlices row;
  row.each = std::exp2(level);
  const double first = std::floor(axis.first / row.each);
  const double end = std::ceil(axis.last() / row.each);
  row.first = first * row.each;
  if (warp < pipeline.rasters.size()) {
    row.slices = pipeline.rasters[warp].slices(pipeline.moments[warp], level,
                                               static_cast<std::size_t>(first),
                                               static_cast<std::size_t>(end - first));
  }
  return row;
}

// Calls draw(box, slice) for each run of slices that are alike.
template <typename Alike, typename Draw>
void for_runs(const RowSlices& row, const CycleAxis& axis, float y, float height,
              const Alike& alike, const Draw& draw) {
  const std::vector<WarpSlice>& slices = row.slices;
  const auto place = [&](std::size_t i) {
    const float x = axis.x_of(row.first + row.each * static_cast<double>(i));
    return std::clamp(x, axis.box.x, axis.box.right());
  };
  for (std::size_t begin = 0; begin < slices.size();) {
    std::size_t end = begin + 1;
    while (end < slices.size() && alike(slices[begin], slices[end])) ++end;
    const float x = place(begin);
    const float width = place(end) - x;
    if (width > 0) draw(Rect{x, y, width, height}, slices[begin]);
    begin = end;
  }
}

struct Unit3 {
  const char* name;
  const char* tooltip;
  bool WarpSlice::*flag;
  ColourRole colour;
};
constexpr std::array<Unit3, 2> kLoadUnits{{
    {"global", "Loads from global memory (LDG, cp.async, TMA) that this warp has in flight.",
     &WarpSlice::loads_global, ColourRole::kFirst},
    {"shared", "Loads from shared memory (LDS, ldmatrix) that this warp has in flight.",
     &WarpSlice::loads_shared, ColourRole::kThird},
}};
constexpr Unit3 kFloatUnit{"FP", "Floating-point arithmetic of this warp, without integers.",
                           &WarpSlice::computes, ColourRole::kSecond};
constexpr Unit3 kIntegerUnit{
    "integer",
    "Instructions of this warp for the integer pipes (ALU, IMAD), addresses "
    "included: the kernel computes with no floats.",
    &WarpSlice::computes, ColourRole::kSecond};
constexpr Unit3 kTensorUnit{
    "tensor", "Matrix products (HMMA, HGMMA) of this warp that the tensor cores are executing.",
    &WarpSlice::multiplies, ColourRole::kSecond};

// What computes is the last row: the tensor cores where the kernel uses them.
std::array<Unit3, 3> units_of(const Program& program) {
  const bool tensor = std::ranges::any_of(program.instructions(), [](const auto& instruction) {
    return instruction.instruction_class == InstructionClass::kTensor;
  });
  const bool floats = arithmetic_of(program) == InstructionClass::kFloat;
  return {kLoadUnits[0], kLoadUnits[1], tensor ? kTensorUnit : floats ? kFloatUnit : kIntegerUnit};
}

Paint active_paint(const KernelStudy& study, const Pipeline& pipeline, std::uint32_t event) {
  if (event == kNever) return {ColourRole::kFaint, 0.7f};
  const std::uint32_t index = pipeline.trace->events[event].instruction;
  const std::int16_t phase = pipeline.phase[index];
  if (phase >= 0) return phase_paint(*study.program, phase);
  switch (pipeline.program->instructions()[index].instruction_class) {
    case InstructionClass::kFloat:
    case InstructionClass::kTensor:
      return ColourRole::kSecond;
    case InstructionClass::kMemory:
      return ColourRole::kFirst;
    default:
      return {ColourRole::kDim, 0.7f};
  }
}

std::string where(const Pipeline& pipeline, std::uint32_t event) {
  if (event == kNever) return {};
  const StaticInstruction& instruction =
      pipeline.program->instructions()[pipeline.trace->events[event].instruction];
  const std::string text(instruction.text.substr(0, 60));
  if (instruction.outermost.line == 0) return fmt::format(" at {}", text);
  return fmt::format(" at line {}: {}", instruction.outermost.line, text);
}

std::string tooltip_of(const Pipeline& pipeline, std::uint32_t warp, const WarpSlice& slice,
                       double cycles) {
  if (!slice.runs) return {};
  const std::string about = format(cycles, Unit::kCycles);
  const std::string place = where(pipeline, slice.event);
  if (slice.stall == Stall::kNone) {
    return fmt::format("Warp {} issues instructions, for about {}{}.", warp, about, place);
  }
  return fmt::format("Warp {} is stalled for about {}{}: {} ({}).", warp, about, place,
                     meaning_of(slice.stall), name_of(slice.stall));
}

std::size_t mark_of_role(ColourRole role) {
  switch (role) {
    case ColourRole::kFirst:
      return kMarkLoad;
    case ColourRole::kSecond:
      return kMarkCompute;
    case ColourRole::kThird:
      return kMarkStore;
    case ColourRole::kFourth:
      return kMarkBarrier;
    default:
      return kMarkOther;
  }
}

// Adds the mark that it draws to `drawn`.
void draw_activity(Pen& pen, const Rect& box, const KernelStudy& study, const Pipeline& pipeline,
                   const WarpSlice& slice, PipelineMarks* drawn) {
  if (!slice.runs) return;
  if (slice.stall != Stall::kNone) {
    draw_stall_mark(pen, box, mark_of(slice.stall));
    drawn->set(legend_mark_of(slice.stall));
    return;
  }
  const Paint paint = active_paint(study, pipeline, slice.event);
  fill_time(pen, box, paint);
  drawn->set(mark_of_role(paint.role));
}

bool alike(const Pipeline& pipeline, const WarpSlice& a, const WarpSlice& b) {
  if (a.runs != b.runs || a.stall != b.stall) return false;
  if (!a.runs || a.stall != Stall::kNone || a.event == b.event) return true;
  if (a.event == kNever || b.event == kNever) return false;
  const auto phase = [&](const WarpSlice& slice) {
    return pipeline.phase[pipeline.trace->events[slice.event].instruction];
  };
  if (phase(a) >= 0 || phase(b) >= 0) return phase(a) == phase(b);
  return true;
}

constexpr const char* kProducer = "producer";
constexpr const char* kConsumer = "consumer";
constexpr const char* kHelper = "helper";

// Where warps have different tasks; "" elsewhere.
const char* role_of(const Pipeline& pipeline, std::uint32_t warp) {
  if (!pipeline.copies.has_producers()) return "";
  const auto among = [&](const std::vector<std::uint32_t>& warps) {
    return std::ranges::binary_search(warps, warp);
  };
  if (among(pipeline.copies.producers())) return kProducer;
  if (among(pipeline.copies.consumers())) return kConsumer;
  return among(pipeline.copies.helpers()) ? kHelper : "";
}

// Over what the warp does of the line that is under the pointer.
void draw_lit(Pen& pen, const Rect& row, const CycleAxis& axis, const ViewContext& context,
              const Pipeline& pipeline, const RowSlices& slices) {
  if (context.hovered_line == 0) return;
  const auto is_on_line = [&](const WarpSlice& slice) {
    if (!slice.runs || slice.event == kNever) return false;
    const std::uint32_t index = pipeline.trace->events[slice.event].instruction;
    return is_lit(context, pipeline.program->instructions()[index].outermost.line);
  };
  for_runs(
      slices, axis, row.y, std::min(pen.px(3), row.h),
      [&](const WarpSlice& a, const WarpSlice& b) { return is_on_line(a) == is_on_line(b); },
      [&](const Rect& box, const WarpSlice& slice) {
        if (is_on_line(slice)) pen.canvas.fill_rect(box, ColourRole::kSelection, 1);
      });
}

}  // namespace

void draw_warp_units(Pen& pen, const Rect& area, const CycleAxis& axis, const ViewContext& context,
                     const Pipeline& pipeline) {
  const std::uint32_t warp = context.selection.warp;
  pen.heading(area.x, area.y, fmt::format("WARP {}", warp), "", axis.box.x);
  const RowSlices slices = slices_of(axis, pipeline, warp, kLeastUnitSlice);
  const std::array<Unit3, 3> units = units_of(*pipeline.program);
  const float top = area.y + pen.px(14);
  const float pitch = (area.bottom() - top) / static_cast<float>(units.size());
  const TextStyle label = pen.style(11, ColourRole::kDim);
  float y = top;
  for (const Unit3& unit : units) {
    const float height = pitch - pen.px(3);
    pen.text_if_fits(area.x, y + height / 2, unit.name, label, axis.box.x - area.x - pen.px(4));
    const Rect row{axis.box.x, y, axis.box.w, height};
    pen.canvas.fill_rect(row, Paint(ColourRole::kRaised, 0.5f), 1.5f);
    for_runs(
        slices, axis, y, height,
        [&](const WarpSlice& a, const WarpSlice& b) { return a.*unit.flag == b.*unit.flag; },
        [&](const Rect& box, const WarpSlice& slice) {
          if (slice.*unit.flag) pen.canvas.fill_rect(box, unit.colour);
        });
    pen.hit({area.x, y, axis.box.x - area.x, height}, HitKind::kNone, 0, unit.tooltip);
    y += pitch;
  }
}

PipelineMarks draw_warp_rows(Pen& pen, const Rect& area, const CycleAxis& axis,
                             const ViewContext& context, const Pipeline& pipeline) {
  PipelineMarks drawn;
  const auto warps = static_cast<std::uint32_t>(pipeline.timing.warps.size());
  if (warps == 0) return drawn;
  pen.heading(area.x, area.y, "WARPS", "", axis.box.x);
  const float top = area.y + pen.px(14);
  const float pitch =
      std::min((area.bottom() - top) / static_cast<float>(warps), pen.px(kTallestRow));
  if (pitch <= 0) return drawn;
  const float gap = pitch >= pen.px(18) ? pen.px(4) : pitch >= pen.px(6) ? pen.px(2) : 0.5f;
  // As many of their names as there is room for.
  const auto every = static_cast<std::uint32_t>(std::ceil(pen.px(13) / pitch));
  const double cycles_per_px = axis.cycles / static_cast<double>(std::max(axis.box.w, 1.0f));
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    const float y = top + pitch * static_cast<float>(warp);
    const bool selected = warp == context.selection.warp;
    if (warp % every == 0 || selected) {
      const std::uint32_t chosen = context.selection.warp;
      const std::uint32_t apart = std::max(warp, chosen) - std::min(warp, chosen);
      const bool crowded = !selected && static_cast<float>(apart) * pitch < pen.px(13);
      const TextStyle style = pen.style(11, selected ? ColourRole::kStrong : ColourRole::kDim,
                                        selected ? Weight::kSemibold : Weight::kRegular);
      if (!crowded) {
        const char* role = role_of(pipeline, warp);
        const bool two_lines = *role != 0 && pitch >= pen.px(30);
        const float middle = y + pitch / 2 - (two_lines ? pen.px(8) : 0);
        const float room = axis.box.x - area.x - pen.px(4);
        pen.text_if_fits(area.x, middle, fmt::format("warp {}", warp), style, room);
        if (two_lines) {
          pen.text_if_fits(area.x, middle + pen.px(14), role, pen.style(11, ColourRole::kDim),
                           room);
        }
      }
    }
    const std::string_view role = role_of(pipeline, warp);
    pen.hit({area.x, y, axis.box.x - area.x, pitch}, HitKind::kWarp, warp,
            fmt::format("{}Click to follow warp {} of this block.",
                        role == kProducer   ? "It only loads tiles, for other warps. "
                        : role == kConsumer ? "It only uses tiles that another warp loads. "
                        : role == kHelper   ? "It prepares tiles for the warps that multiply them. "
                                            : "",
                        warp));
    const RowSlices slices = slices_of(axis, pipeline, warp, kLeastRowSlice);
    for_runs(
        slices, axis, y, pitch - gap,
        [&](const WarpSlice& a, const WarpSlice& b) { return alike(pipeline, a, b); },
        [&](const Rect& box, const WarpSlice& slice) {
          draw_activity(pen, box, *context.study, pipeline, slice, &drawn);
          if (!slice.runs || !pen.canvas.wants_hit({box.x, y, box.w, pitch})) return;
          Hit hit{.kind = HitKind::kWarp, .value = warp};
          if (box.w >= pen.px(5)) {  // else nobody could rest on it
            hit.tooltip =
                tooltip_of(pipeline, warp, slice, static_cast<double>(box.w) * cycles_per_px);
          }
          add_moment_hits(pen, {box.x, y, box.w, pitch}, {axis, pipeline, warp}, hit);
        });
    draw_lit(pen, {axis.box.x, y, axis.box.w, pitch - gap}, axis, context, pipeline, slices);
  }
  return drawn;
}

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
      fmt::format("stamps cost {} of the time", format(100 * phases.stamp_share, Unit::kPercent));
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
  // Another GPU's stand apart: pale, by its name, and held against nothing.
  const DeviceModel* device = context.study->device.get();
  const bool apart = device != nullptr && phases.gpu != device->name;
  std::string source(name_of(phases.source));
  if (apart) source += " on " + (phases.gpu.empty() ? "another GPU" : short_gpu(phases.gpu));
  const std::uint32_t modelled = pipeline.timing.cycles - std::min(pipeline.timing.cycles, zero);
  std::vector<std::string> words = {
      fmt::format("{} by clock stamps: {} ({})", source, format(phases.cycles, Unit::kCycles),
                  cost_of_measuring(phases)),
      fmt::format("{} ({})", source, cost_of_measuring(phases)), source};
  if (!apart) {
    words.insert(words.begin(),
                 fmt::format("{} by clock stamps at its phases: {} until the last one, modelled {} "
                             "until the end ({})",
                             source, format(phases.cycles, Unit::kCycles),
                             format(modelled, Unit::kCycles), cost_of_measuring(phases)));
  }
  pen.first_that_fits(row.x + pen.px(13), middle, words, style, row.w - pen.px(13));
  pen.hit({row.x, area.y, row.w, pen.px(14)}, HitKind::kNone, 0,
          fmt::format(
              "A version of the kernel that records the clock at each TILESCOPE_PHASE mark ran on "
              "the GPU: {}. This is different code; a difference from the model can come from "
              "either.",
              cost_of_measuring(phases)));
  pen.text_if_fits(area.x, row.y + row.h / 2, "phases", style, axis.box.x - area.x - pen.px(4));
  pen.canvas.fill_rect(row, Paint(ColourRole::kRaised, 0.5f), 1.5f);
  if (warp >= phases.warps.size()) return;
  for (const MeasuredPhases::Span& span : phases.warps[warp]) {
    const float begin = std::max(axis.x_of(zero + span.begin), row.x);
    const float end = std::min(axis.x_of(zero + span.end), row.right());
    if (end <= begin) continue;
    const Rect box{begin, row.y, end - begin, row.h};
    Paint paint = phase_paint(*context.study->program, span.phase);
    if (apart) paint.opacity *= 0.45f;
    fill_time(pen, box, paint);
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
