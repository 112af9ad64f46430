#include "scene/pipeline/pipeline_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/drawing/empty_view.h"
#include "scene/pipeline/pipeline_words.h"
#include "scene/prepared.h"
#include "scene/roofline/roofline_data.h"
#include "scene/view.h"

namespace tilescope {
namespace {

constexpr double kTilesShown = 8;
constexpr double kShortBlock = 30000;  // cycles that are shown whole
constexpr double kLongWindow = 20000;  // cycles of a long block without tiles
constexpr double kBeforeCursor = 0.35;
constexpr float kLeastForStages = 280;

double usual_window(const Pipeline& pipeline) {
  const auto all = static_cast<double>(pipeline.timing.cycles);
  const std::vector<TileCopy>& tiles = pipeline.copies.tiles;
  if (tiles.size() > 2) {
    const double span = tiles.back().issue - tiles.front().issue;
    return std::clamp(kTilesShown * span / static_cast<double>(tiles.size() - 1), 64.0, all);
  }
  return all <= kShortBlock ? all : kLongWindow;
}

double tick_step(double cycles, float width, float room) {
  const double least = cycles * static_cast<double>(room / std::max(width, 1.0f));
  const double power = std::pow(10, std::floor(std::log10(std::max(least, 1.0))));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor >= least) return power * factor;
  }
  return power * 10;
}

// Cycle numbers above, faint lines through the whole picture below them.
void draw_axis(Pen& pen, const CycleAxis& axis, float bottom) {
  const TextStyle style = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  const double step = tick_step(axis.cycles, axis.box.w, pen.px(90));
  const float y = axis.box.y + pen.px(6);
  for (double tick = std::ceil(axis.first / step) * step; tick <= axis.last(); tick += step) {
    const float x = axis.x_of(tick);
    std::string words = format_count(static_cast<std::uint64_t>(tick));
    if (tick < step) words += " cycles";
    const float half = pen.width(words, style) / 2;
    const float at = std::clamp(x, axis.box.x + half, axis.box.right() - half);
    pen.text(at, y, words, style);
    pen.canvas.line({x, axis.box.y + pen.px(15)}, {x, bottom}, ColourRole::kLine, 1);
  }
}

void draw_cursor(Pen& pen, const CycleAxis& axis, const ViewContext& context,
                 const Pipeline& pipeline, float bottom) {
  const double cycle = pipeline.cycle_of(context.selection.warp, context.selection.event);
  const float x = std::clamp(axis.x_of(cycle), axis.box.x, axis.box.right());
  pen.canvas.line({x, axis.box.y + pen.px(14)}, {x, bottom}, ColourRole::kSelection, 1.5f);
}

// A click anywhere sets the time.
void add_time_hits(Pen& pen, const CycleAxis& axis, const ViewContext& context,
                   const Pipeline& pipeline, float bottom) {
  const float column = pen.px(4);
  for (float x = axis.box.x; x < axis.box.right(); x += column) {
    const Rect box{x, axis.box.y, column, bottom - axis.box.y};
    if (!pen.canvas.wants_hit(box)) continue;
    const double cycle =
        axis.first + axis.cycles * static_cast<double>((x - axis.box.x) / axis.box.w);
    Hit hit;
    hit.kind = HitKind::kEvent;
    hit.value = pipeline.event_at(context.selection.warp, static_cast<std::uint32_t>(cycle));
    pen.canvas.hit(box, hit);
  }
}

std::string source_of_order(const Pipeline& pipeline) {
  return pipeline.program->is_machine_code()
             ? "modelled from the machine code's own order of instructions"
             : "modelled from the PTX's order of instructions; a disassembler (nvdisasm) would "
               "give "
               "the machine's";
}

// How far this model's pace is from the kernel's known time: "16 % faster than recorded". Empty: no
// time is known.
std::string error_of_pace(const ViewContext& context, const Pipeline& pipeline) {
  if (context.roofline == nullptr || !context.roofline->known) return {};
  const KnownTime& known = *context.roofline->known;
  if (pipeline.kernel_seconds <= 0 || known.seconds <= 0) return {};
  const double error = pipeline.kernel_seconds / known.seconds - 1;
  const std::string_view known_from = name_of(known.source);
  if (std::abs(error) < 0.005) return fmt::format("as fast as {}", known_from);
  return fmt::format("{} {} than {}", about_percent_words(std::abs(error)),
                     error < 0 ? "faster" : "slower", known_from);
}

// "◇ modelled on one SM: 8 blocks at once, 16 % faster than recorded".
void draw_provenance(Pen& pen, float right, float y, const ViewContext& context,
                     const Pipeline& pipeline, float left) {
  const TextStyle style = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  std::vector<std::string> candidates;
  const std::string one = "modelled on one SM";
  const std::string blocks =
      fmt::format("{}: {} at once", one, counted(pipeline.timing.resident_blocks, "block"));
  const std::string error = error_of_pace(context, pipeline);
  if (!error.empty()) candidates.push_back(blocks + ", " + error);
  if (!error.empty()) candidates.push_back(one + ", " + error);
  candidates.push_back(blocks);
  candidates.push_back(one);
  for (const std::string& words : candidates) {
    const float width = pen.width(words, style);
    if (right - width - pen.px(14) < left) continue;
    pen.text(right, y, words, style);
    pen.source_mark({right - width - pen.px(9), y}, Source::kModelled, ColourRole::kDim);
    pen.hit(
        {right - width - pen.px(14), y - pen.px(8), width + pen.px(14), pen.px(16)}, HitKind::kNone,
        0,
        fmt::format("Cycles are {}: one SM that executes copies of this block, {} of the "
                    "sectors past L1 from DRAM, {} of what is asked of L1 found there. The panel "
                    "\"Latencies\" holds "
                    "what it assumes. What holds the kernel, and its time, are another model's: "
                    "that of the whole launch, as in Roofline.{}",
                    source_of_order(pipeline), format(100 * pipeline.dram_share, Unit::kPercent),
                    format(100 * pipeline.timing.l1_hits, Unit::kPercent),
                    error.empty() ? error : " At this SM's pace the kernel is " + error + "."));
    return;
  }
}

PipelineFacts facts_of(const ViewContext& context, const Pipeline& pipeline) {
  const WarpTiming& timing = pipeline.timing;
  PipelineFacts facts;
  facts.buffers = static_cast<std::uint32_t>(pipeline.copies.rows.size());
  facts.tiles = static_cast<std::uint32_t>(pipeline.copies.tiles.size());
  facts.is_async = !pipeline.copies.tiles.empty() && pipeline.copies.tiles.front().is_async;
  facts.in_flight = pipeline.copies.in_flight();
  facts.copy_cycles = pipeline.copies.copy_cycles();
  facts.use_cycles = pipeline.copies.use_cycles();
  std::uint64_t all = timing.issued;
  for (const std::uint64_t cycles : timing.stalled) all += cycles;
  for (std::size_t i = 0; i < kStallCount; ++i) {
    facts.stalled[i] =
        all == 0 ? 0 : static_cast<double>(timing.stalled[i]) / static_cast<double>(all);
  }
  facts.short_latency = timing.short_latency;
  const auto prepared = prepared_of(context);
  if (prepared->diagnosis != nullptr) facts.held_by = held_by(*prepared->diagnosis, "the kernel");
  facts.multiplies = context.study->instance.problem == Problem::kGemm;
  return facts;
}

}  // namespace

void add_moment_hits(Pen& pen, const Rect& mark, const WarpAxis& time, const Hit& hit) {
  constexpr float kPiece = 16;  // a click goes to a moment no further away
  const float pieces = std::max(1.0f, std::floor(mark.w / pen.px(kPiece)));
  const float width = mark.w / pieces;
  for (float i = 0; i < pieces; ++i) {
    const Rect piece{mark.x + width * i, mark.y, width, mark.h};
    if (!pen.canvas.wants_hit(piece)) continue;
    const double share =
        static_cast<double>((piece.center().x - time.axis.box.x) / std::max(time.axis.box.w, 1.0f));
    const double cycle = std::max(time.axis.first + time.axis.cycles * share, 0.0);
    const std::uint32_t event =
        time.pipeline.event_at(time.warp, static_cast<std::uint32_t>(cycle));
    Hit there = hit;
    if (hit.kind == HitKind::kWarp) {
      there.value2 = event + std::int64_t{1};
    } else {
      there.value = event;
    }
    pen.canvas.hit(piece, std::move(there));
  }
}

CycleAxis cycle_axis(const ViewContext& context, const Pipeline& pipeline, const Rect& box) {
  CycleAxis axis;
  axis.box = box;
  const auto all = static_cast<double>(std::max(pipeline.timing.cycles, 1u));
  axis.cycles = std::clamp(usual_window(pipeline) / static_cast<double>(context.time_zoom),
                           std::min(64.0, all), all);
  const double cursor = pipeline.cycle_of(context.selection.warp, context.selection.event);
  axis.first = std::clamp(cursor - kBeforeCursor * axis.cycles, 0.0, all - axis.cycles);
  return axis;
}

Sentence pipeline_sentence(const ViewContext& context) {
  if (!context.study->pipeline) {
    return {
        {"The order in which this block's warps load, wait and compute is being modelled.", false}};
  }
  return pipeline_sentence(facts_of(context, *context.study->pipeline));
}

void draw_pipeline(Canvas& canvas, const Rect& area, const ViewContext& context) {
  Pen pen(canvas, context);
  if (!context.study->pipeline) {
    draw_empty(pen, area, "The pipeline is being modelled",
               "It needs the kernel's machine code, which is being compiled.");
    return;
  }
  const Pipeline& pipeline = *context.study->pipeline;
  const float gutter = area.w >= pen.px(420) ? pen.px(74) : pen.px(48);
  const bool has_strip = area.h >= pen.px(kLeastForStages) && context.alternatives != nullptr &&
                         !context.alternatives->empty();
  // In a low view the alternatives are numbers alone.
  const float strip = has_strip ? pen.px(area.h >= pen.px(330) ? 84 : 36) : 0;
  const float plot = area.w - gutter;
  const float stalls = area.h >= pen.px(240) ? stall_bar_height(pen, plot, pipeline) : 0;
  const PipelineMarks named = possible_marks(pipeline, stalls > 0);
  const float legend = pen.px(kLegendLine) * static_cast<float>(legend_lines(
                                                 pen, plot, named, pipeline.timing.short_latency));
  const float bottom = area.bottom() - strip - stalls - legend - pen.px(6);
  const CycleAxis axis =
      cycle_axis(context, pipeline, {area.x + gutter, area.y, plot, bottom - area.y});
  draw_axis(pen, axis, bottom);
  add_time_hits(pen, axis, context, pipeline, bottom);
  float y = area.y + pen.px(24);
  const float ring = std::min(ring_height(pen, pipeline), (bottom - y) * 0.45f);
  const bool has_ring = ring > pen.px(24);
  if (has_ring) {
    draw_ring(pen, {area.x, y, area.w, ring}, axis, context, pipeline);
    y += ring + pen.px(10);
  }
  const float units = pen.px(66);
  const float measured = context.phases != nullptr ? pen.px(34) : 0;
  if (bottom - y > units + measured + pen.px(60)) {
    draw_warp_units(pen, {area.x, y, area.w, units}, axis, context, pipeline);
    y += units + pen.px(2);
    if (measured > 0) {
      draw_measured_phases(pen, {area.x, y, area.w, measured}, axis, context, pipeline);
    }
    y += measured + pen.px(8);
  }
  PipelineMarks drawn =
      draw_warp_rows(pen, {area.x, y, area.w, bottom - y}, axis, context, pipeline);
  if (has_ring) drawn.set(kMarkLoad).set(kMarkCompute);
  draw_cursor(pen, axis, context, pipeline, bottom);
  const Rect words{axis.box.x, bottom + pen.px(5), plot, legend};
  const Point end = draw_pipeline_legend(pen, words, drawn & named, pipeline.timing.short_latency);
  draw_provenance(pen, words.right(), end.y, context, pipeline, end.x + pen.px(8));
  if (stalls > 0) {
    draw_stall_bar(pen, {area.x, words.bottom() + pen.px(1), area.w, stalls}, axis.box.x, pipeline);
  }
  if (has_strip) {
    draw_stages_strip(pen, {area.x, area.bottom() - strip + pen.px(4), area.w, strip - pen.px(4)},
                      context);
  }
}

}  // namespace tilescope
