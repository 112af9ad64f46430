#include "scene/pipeline/pipeline_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/quantity.h"
#include "scene/model/bulk_boxes.h"
#include "scene/model/prepared.h"
#include "scene/pipeline/pipeline_warps.h"
#include "scene/pipeline/pipeline_words.h"
#include "scene/roofline/roofline_figure.h"
#include "scene/view/empty_view.h"
#include "scene/view/phase_paint.h"
#include "scene/view/view.h"

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
  const double first = std::ceil(axis.first / step) * step;
  for (double tick = first; tick <= axis.last(); tick += step) {
    const float x = axis.x_of(tick);
    std::string words = format_count(static_cast<std::uint64_t>(tick));
    if (tick == first) words += " cycles";
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
             ? "modelled from the order of instructions in the machine code"
             : "modelled from the order of instructions in the PTX; with nvdisasm installed the "
               "machine code is used";
}

// How far this model's pace is from the kernel's known time: "16 % too fast (recorded time)".
// Empty: no time is known.
std::string error_of_pace(const ViewContext& context, const Pipeline& pipeline) {
  if (context.roofline == nullptr || !context.roofline->known) return {};
  const KnownTime& known = *context.roofline->known;
  if (pipeline.kernel_seconds <= 0 || known.seconds <= 0) return {};
  const double error = pipeline.kernel_seconds / known.seconds - 1;
  const std::string_view known_from = name_of(known.source);
  if (std::abs(error) < 0.005) return fmt::format("equal to the {} time", known_from);
  return fmt::format("{} too {} ({} time)", about_percent_words(std::abs(error)),
                     error < 0 ? "fast" : "slow", known_from);
}

// "◇ modelled on one SM: 8 blocks resident, 16 % too fast (recorded time)".
void draw_provenance(Pen& pen, float right, float y, const ViewContext& context,
                     const Pipeline& pipeline, float left) {
  const TextStyle style = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  std::vector<std::string> candidates;
  const std::string one = "modelled on one SM";
  const std::string blocks =
      fmt::format("{}: {} resident", one, counted(pipeline.timing.resident_blocks, "block"));
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
        fmt::format("Cycles are {}: one SM executes copies of this block. {} of the sectors that "
                    "miss L1 come from DRAM; the L1 hit rate is {}. The panel \"Latencies\" lists "
                    "the assumptions. What limits the kernel, and its time, come from the model of "
                    "the whole launch, as in Roofline.{}",
                    source_of_order(pipeline), format(100 * pipeline.dram_share, Unit::kPercent),
                    format(100 * pipeline.timing.l1_hits, Unit::kPercent),
                    error.empty() ? error : " The one-SM model: " + error + "."));
    return;
  }
}

// The share of their time that these warps wait at mbarriers; 0..1.
double wait_at_mbarriers(const Pipeline& pipeline, const std::vector<std::uint32_t>& warps) {
  double waits = 0;
  double all = 0;
  for (const std::uint32_t warp : warps) {
    for (const WarpMoment& moment : pipeline.moments[warp]) {
      if (moment.stall == Stall::kMbarrier) waits += moment.ready - moment.waits_from;
    }
    if (!pipeline.moments[warp].empty()) all += pipeline.moments[warp].back().issue + 1.0;
  }
  return all == 0 ? 0 : waits / all;
}

void add_bulk_copies(const ViewContext& context, const Pipeline& pipeline, PipelineFacts& facts) {
  const TileCopies& copies = pipeline.copies;
  const auto bulk = std::ranges::find_if(copies.tiles, &TileCopy::is_bulk);
  if (bulk == copies.tiles.end()) return;
  facts.copies = bulk_name(*context.study->program);
  facts.stage_bytes = bulk->bytes;
  facts.bytes_in_flight = copies.bytes_in_flight();
  facts.producers = copies.producers();
  facts.consumers = copies.consumers();
  facts.helpers = copies.helpers();
  facts.producers_wait = wait_at_mbarriers(pipeline, facts.producers);
  facts.consumers_wait = wait_at_mbarriers(pipeline, facts.consumers);
  // Of a file nobody says what it computes.
  facts.multiplies |= !context.study->trace->operand_reads.empty();
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
  if (prepared->diagnosis != nullptr) facts.limited_by = prepared->diagnosis->limited_by;
  facts.multiplies = context.study->instance.multiplies();
  add_bulk_copies(context, pipeline, facts);
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
    return {{"Computing when this block's warps load, wait and compute ...", false}};
  }
  return pipeline_sentence(facts_of(context, *context.study->pipeline));
}

void draw_pipeline(Canvas& canvas, const Rect& area, const ViewContext& context) {
  Pen pen(canvas, context);
  if (!context.study->pipeline) {
    draw_empty(pen, area, "Computing the pipeline ...",
               "The kernel's machine code is being compiled.");
    return;
  }
  const Pipeline& pipeline = *context.study->pipeline;
  const float gutter = area.w >= pen.px(420) ? pen.px(74) : pen.px(48);
  const bool has_strip = area.h >= pen.px(kLeastForStages) && context.alternatives != nullptr &&
                         !context.alternatives->empty();
  // In a low view the alternatives are numbers alone.
  const float strip = has_strip ? pen.px(area.h >= pen.px(330) ? 84 : 36) : 0;
  const float plot = area.w - gutter;
  const float stalls = area.h >= pen.px(240) ? stall_bar_height(pen, area.w, gutter, pipeline) : 0;
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
       "A tile that is being loaded into shared memory; a warp in a loading phase."},
      {"compute",
       {ColourRole::kSecond},
       "From the first read of a tile to the last instruction that uses it; a warp in a computing "
       "phase."},
      {"store", {ColourRole::kThird}, "A warp in a storing phase."},
      {"barrier", mark_of(Stall::kBarrier),
       "The warp waits for the other warps of its block (Nsight: barrier)."},
      {"waits for global memory", mark_of(Stall::kLongScoreboard),
       "Data from global memory, or a group of cp.async, has not arrived yet (Nsight: long "
       "scoreboard)."},
      {"for " + units.words(), mark_of(Stall::kShortScoreboard),
       fmt::format("A value from {} has not arrived yet (Nsight: short scoreboard).",
                   units.words())},
      {"other work",
       {Paint(ColourRole::kDim, 0.7f)},
       "A warp outside the marked phases: addresses, loops, start and end."},
      of_stall(Stall::kWait),
      of_stall(Stall::kMathPipeThrottle),
      of_stall(Stall::kMioThrottle),
      of_stall(Stall::kLgThrottle),
      of_stall(Stall::kBranchResolving),
      of_stall(Stall::kNotSelected),
      of_stall(Stall::kMbarrier),
      of_stall(Stall::kGmma),
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
    case Stall::kMbarrier:
      return kMarkMbarrier;
    case Stall::kGmma:
      return kMarkGmma;
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

namespace {

struct Share {
  std::string name;
  double share = 0;
  StallMark mark;
  std::string tooltip;
};

struct Key {
  const Share* share = nullptr;
  std::string words;
  float x = 0;  // from the bar's left end
  int line = 0;
};

constexpr double kLeastNamed = 0.005;
constexpr float kStallBar = 16;
constexpr float kKeyLine = 15;
constexpr float kLowStrip = 40;  // of alternatives: too low for their pictures

}  // namespace

const char* meaning_of(Stall stall) {
  switch (stall) {
    case Stall::kNone:
      return "an instruction is issued";
    case Stall::kLongScoreboard:
      return "data from global or local memory, or a group of cp.async, has not arrived yet";
    case Stall::kShortScoreboard:
      return "a value from shared memory, a shuffle or a special function has not arrived yet";
    case Stall::kBarrier:
      return "other warps of the block have not reached the barrier";
    case Stall::kWait:
      return "the result of an earlier arithmetic instruction is not ready yet";
    case Stall::kMathPipeThrottle:
      return "the arithmetic unit is busy with another warp";
    case Stall::kMioThrottle:
      return "the queue to the memory unit is full; the next instruction is for shared memory or a "
             "shuffle";
    case Stall::kLgThrottle:
      return "the queue to the memory unit is full; the next instruction is for global memory";
    case Stall::kBranchResolving:
      return "a branch is being resolved";
    case Stall::kNotSelected:
      return "the scheduler issued another warp";
    case Stall::kMbarrier:
      return "copies or arrivals that an mbarrier counts are still missing";
    case Stall::kGmma:
      return "matrix products of the warp group (wgmma) are still in progress";
  }
  return "";
}

namespace {

std::vector<Share> shares_of(const WarpTiming& timing) {
  std::uint64_t all = timing.issued;
  for (const std::uint64_t cycles : timing.stalled) all += cycles;
  std::vector<Share> shares;
  if (all == 0) return shares;
  const auto share = [&](std::uint64_t cycles) {
    return static_cast<double>(cycles) / static_cast<double>(all);
  };
  shares.push_back(
      {"issued", share(timing.issued), mark_of(Stall::kNone), meaning_of(Stall::kNone)});
  for (std::size_t i = 1; i < kStallCount; ++i) {
    const auto stall = static_cast<Stall>(i);
    shares.push_back({name_of(stall), share(timing.stalled[i]), mark_of(stall), meaning_of(stall)});
  }
  std::ranges::stable_sort(shares.begin() + 1, shares.end(), std::greater<>(), &Share::share);
  // What is too small for a name of its own.
  Share rest{"other", 0, {ColourRole::kDim}, "reasons of less than 0.5 % each"};
  const auto small = std::find_if(shares.begin() + 1, shares.end(),
                                  [](const Share& each) { return each.share < kLeastNamed; });
  for (auto each = small; each != shares.end(); ++each) rest.share += each->share;
  shares.erase(small, shares.end());
  if (rest.share > 0) shares.push_back(rest);
  return shares;
}

std::string about(const Share& share) {
  return fmt::format("{}: {} of the warps' time; {}.", share.name, about_percent_words(share.share),
                     share.tooltip);
}

// The names below the bar, in its order, on as many lines as they need in `width`.
std::vector<Key> keys_of(const Pen& pen, float width, const std::vector<Share>& shares) {
  const TextStyle label = pen.style(11, ColourRole::kDim);
  std::vector<Key> keys;
  float x = 0;
  int line = 0;
  for (const Share& share : shares) {
    if (share.share < kLeastNamed) continue;
    Key key{&share, share.name + " " + about_percent_words(share.share), 0, 0};
    const float wide = pen.px(16) + pen.width(key.words, label);
    if (x > 0 && x + wide > width) {
      x = 0;
      ++line;
    }
    key.x = x;
    key.line = line;
    keys.push_back(std::move(key));
    x += wide + pen.px(14);
  }
  return keys;
}

// Two thin rows: copies above, uses below, over the same cycles for every alternative.
void draw_small_picture(Pen& pen, const Rect& box, const Pipeline& pipeline, double first,
                        double cycles) {
  const float height = (box.h - pen.px(3)) / 2;
  const auto bar = [&](double begin, double end, float y, Paint paint) {
    const auto place = [&](double cycle) {
      const double share = std::clamp((cycle - first) / cycles, 0.0, 1.0);
      return box.x + box.w * static_cast<float>(share);
    };
    const float width = place(end) - place(begin);
    if (width < 0.5f) return;
    pen.canvas.fill_rect({place(begin), y, std::max(width - 1, 1.0f), height}, paint, 1);
  };
  for (const TileCopy& tile : pipeline.copies.tiles) {
    bar(tile.issue, tile.arrived, box.y, Paint(ColourRole::kFirst, 0.6f));
    if (tile.first_read == kNever) continue;
    bar(tile.first_read, tile.last_use, box.y + height + pen.px(3), ColourRole::kSecond);
  }
}

// Against the chosen number of stages. Only the ratio of the two is this model's to say: the
// kernel's time is the time model's (analysis/time/time_model.h).
std::string pace_words(double seconds, double chosen) {
  if (seconds <= 0 || chosen <= 0) return "–";
  const double change = seconds / chosen - 1;
  if (std::abs(change) < 0.005) return "as fast";
  return about_percent_words(std::abs(change)) + (change < 0 ? " faster" : " slower");
}

// Where it begins beside its heading, of `left` wanted.
float left_of_stall_bar(const Pen& pen, float left) {
  const TextStyle heading = pen.style(11, ColourRole::kDim, Weight::kSemibold);
  return std::max(left, pen.width("WARP TIME", heading) + pen.px(6));
}

}  // namespace

float stall_bar_height(const Pen& pen, float width, float left, const Pipeline& pipeline) {
  width -= left_of_stall_bar(pen, left);
  int lines = 1;
  for (const Key& key : keys_of(pen, width, shares_of(pipeline.timing))) {
    lines = std::max(lines, key.line + 1);
  }
  return pen.px(kStallBar + kKeyLine * static_cast<float>(lines));
}

void draw_stall_bar(Pen& pen, const Rect& area, float left, const Pipeline& pipeline) {
  const std::vector<Share> shares = shares_of(pipeline.timing);
  if (shares.empty()) return;
  pen.heading(area.x, area.y + pen.px(8), "WARP TIME", "", area.right());
  left = area.x + left_of_stall_bar(pen, left - area.x);
  const Rect bar{left, area.y + pen.px(2), area.right() - left, pen.px(12)};
  if (bar.w < pen.px(80)) return;
  float x = bar.x;
  for (const Share& share : shares) {
    const float width = bar.w * static_cast<float>(share.share);
    if (width < 1) continue;
    const Rect part{x, bar.y, width - 1, bar.h};
    draw_stall_mark(pen, part, share.mark);
    pen.hit(part, HitKind::kNone, 0, about(share));
    x += width;
  }
  const TextStyle label = pen.style(11, ColourRole::kDim);
  for (const Key& key : keys_of(pen, bar.w, shares)) {
    const float y = area.y + pen.px(kStallBar + kKeyLine * (static_cast<float>(key.line) + 0.5f));
    draw_stall_mark(pen, {bar.x + key.x, y - pen.px(4), pen.px(12), pen.px(8)}, key.share->mark);
    pen.text(bar.x + key.x + pen.px(16), y, key.words, label);
    pen.hit({bar.x + key.x, y - pen.px(8), pen.px(16) + pen.width(key.words, label), pen.px(16)},
            HitKind::kNone, 0, about(*key.share));
  }
}

void draw_stages_strip(Pen& pen, const Rect& area, const ViewContext& context) {
  const std::vector<PipelineAlternative>& all = *context.alternatives;
  const auto now_at = context.study->instance.parameters.find("STAGES");
  const std::int64_t now = now_at == context.study->instance.parameters.end() ? 0 : now_at->second;
  pen.rule(area.x, area.right(), area.y);
  // The same stretch of cycles for all: some tiles of the slowest, past its beginning.
  double cycles = 0;
  double fastest = 0;
  double chosen = 0;
  for (const PipelineAlternative& each : all) {
    const std::vector<TileCopy>& tiles = each.pipeline->copies.tiles;
    if (tiles.size() > 4) {
      const double span = tiles.back().issue - tiles.front().issue;
      cycles = std::max(cycles, 4 * span / static_cast<double>(tiles.size() - 1));
    }
    const double seconds = each.pipeline->kernel_seconds;
    if (seconds > 0 && (fastest == 0 || seconds < fastest)) fastest = seconds;
    if (each.stages == now) chosen = seconds;
  }
  if (cycles == 0) cycles = 4000;
  const float left = area.x + pen.px(92);
  const bool low = area.h < pen.px(kLowStrip);
  const float label_y = low ? area.y + pen.px(8) + (area.h - pen.px(10)) / 2 : area.y + pen.px(16);
  const TextStyle title = pen.style(11, ColourRole::kDim, Weight::kSemibold);
  pen.text(area.x, label_y, "STAGES", title);
  const float mark = area.x + pen.width("STAGES", title) + pen.px(12);
  pen.source_mark({mark, label_y}, Source::kModelled, ColourRole::kDim);
  pen.hit({mark - pen.px(6), label_y - pen.px(8), pen.px(12), pen.px(16)}, HitKind::kNone, 0,
          "Modelled: the same block, recompiled with each number of stages, on one SM.");
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  if (!low) {
    pen.text_if_fits(area.x, area.y + pen.px(32),
                     fmt::format("{} cycles", format_count(static_cast<std::uint64_t>(cycles))),
                     dim, left - area.x - pen.px(6));
  }
  const float gap = pen.px(8);
  const auto count = static_cast<float>(all.size());
  const float width = (area.right() - left - gap * (count - 1)) / count;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PipelineAlternative& each = all[i];
    const Pipeline& pipeline = *each.pipeline;
    const Rect box{left + (width + gap) * static_cast<float>(i), area.y + pen.px(8), width,
                   area.h - pen.px(10)};
    const bool current = each.stages == now;
    pen.canvas.fill_rect(box, current ? ColourRole::kHover : ColourRole::kRaised, 6);
    if (current) pen.outline(box, ColourRole::kFirst, 1.5f, 6);
    const float middle = low ? box.center().y : box.y + pen.px(14);
    const std::string name = std::to_string(each.stages);
    const TextStyle strong = pen.style(13, ColourRole::kStrong, Weight::kSemibold);
    pen.text(box.x + pen.px(9), middle, name, strong);
    const double seconds = pipeline.kernel_seconds;
    const Paint tone =
        seconds > 0 && seconds <= fastest * 1.02 ? ColourRole::kIdeal : Paint(ColourRole::kDim);
    const float room = box.w - pen.px(30) - pen.width(name, strong);
    const TextStyle right = pen.style(11, tone, Weight::kMedium, Align::kRight);
    const std::string pace = current ? std::string() : pace_words(seconds, chosen);
    pen.text_if_fits(box.right() - pen.px(9), middle, pace, right, room);
    const std::vector<TileCopy>& tiles = pipeline.copies.tiles;
    const double first = tiles.size() > 6 ? tiles[tiles.size() / 3].issue : 0;
    if (!low) {
      draw_small_picture(pen,
                         {box.x + pen.px(9), box.y + pen.px(28), box.w - pen.px(18),
                          std::max(box.h - pen.px(36), pen.px(10))},
                         pipeline, first, cycles);
    }
    Hit hit;
    hit.kind = HitKind::kParameter;
    hit.name = "STAGES";
    hit.value = each.stages;
    hit.tooltip = fmt::format("STAGES = {}: {}{} resident per SM.{}", each.stages,
                              pace.empty() ? pace : pace + " by the one-SM model, ",
                              counted(pipeline.timing.resident_blocks, "block"),
                              current ? "" : " Click to set it.");
    pen.canvas.hit(box, hit);
  }
}

namespace {

constexpr std::size_t kMostNamed = 8;  // rows that are drawn high enough for words

float row_height(const Pen& pen, std::size_t rows) {
  return rows <= 3 ? pen.px(34) : rows <= kMostNamed ? pen.px(24) : pen.px(12);
}

bool rests(const TileCopy& tile) { return tile.stored != kNever && tile.stored > tile.landed; }

// Whether tiles wait in registers while the one before is read: then they have a row of their own
// until they are stored, as their buffer holds nothing of them.
bool prefetches(const TileCopies& copies) {
  const std::vector<TileCopy>& tiles = copies.tiles;
  for (std::size_t i = 1; i < tiles.size(); ++i) {
    const std::uint32_t read = tiles[i - 1].first_read;
    if (rests(tiles[i]) && read > tiles[i].issue && read < tiles[i].stored) return true;
  }
  return false;
}

struct Bar {
  double begin = 0;
  double end = 0;
  Paint paint;
  std::string words;
  std::string tooltip;
  bool is_tile = true;  // the words end in its number, which may stand alone
};

void draw_bar(Pen& pen, const WarpAxis& time, const Rect& row, const Bar& bar) {
  const CycleAxis& axis = time.axis;
  const float x = std::max(axis.x_of(bar.begin), axis.box.x);
  const float right = std::min(axis.x_of(bar.end), axis.box.right());
  if (right - x < 0.5f) return;
  const Rect rect{x, row.y, std::max(right - x - 1, 1.0f), row.h};
  pen.canvas.fill_rect(rect, bar.paint, 2);
  if (row.h >= pen.px(13)) {
    const TextStyle style =
        pen.style(11,
                  bar.paint.role == ColourRole::kRaised ? Paint(ColourRole::kDim)
                                                        : text_on(bar.paint.role, pen.theme),
                  Weight::kMedium);
    std::vector<std::string> candidates = {bar.words};
    if (bar.is_tile) candidates.push_back(bar.words.substr(bar.words.rfind(' ') + 1));
    pen.first_that_fits(rect.x + pen.px(6), rect.center().y, candidates, style, rect.w - pen.px(8));
  }
  add_moment_hits(pen, rect, time, {.kind = HitKind::kEvent, .tooltip = bar.tooltip});
}

}  // namespace

float ring_height(const Pen& pen, const Pipeline& pipeline) {
  if (pipeline.copies.rows.empty()) return 0;
  const std::size_t rows = pipeline.copies.rows.size() + (prefetches(pipeline.copies) ? 1 : 0);
  return pen.px(18) + static_cast<float>(rows) * (row_height(pen, rows) + pen.px(4));
}

void draw_ring(Pen& pen, const Rect& area, const CycleAxis& axis, const ViewContext& context,
               const Pipeline& pipeline) {
  const TileCopies& copies = pipeline.copies;
  const std::size_t before = prefetches(copies) ? 1 : 0;  // the registers
  const std::size_t rows = copies.rows.size() + before;
  const bool is_ring =
      !copies.tiles.empty() && copies.tiles.front().is_async && copies.rows.size() > 1;
  pen.heading(area.x, area.y, is_ring ? "RING" : before > 0 ? "TILES" : "SHARED", "", axis.box.x);
  const float top = area.y + pen.px(14);
  const float pitch = (area.bottom() - top) / static_cast<float>(rows);
  const float gap = pen.px(pitch >= pen.px(20) ? 4 : 2);  // low rows keep room for their words
  const float height = std::max(pitch - gap, pen.px(4));
  const TextStyle label = pen.style(12, ColourRole::kText);
  for (std::size_t row = 0; row < rows; ++row) {
    const float y = top + pitch * static_cast<float>(row);
    const std::string name = row < before
                                 ? "registers"
                                 : fmt::format("{} {}", is_ring ? "stage" : "buffer", row - before);
    if (height >= pen.px(11)) {
      pen.text_if_fits(area.x, y + height / 2, name, label, axis.box.x - area.x - pen.px(4));
    }
    pen.canvas.fill_rect({axis.box.x, y, axis.box.w, height}, Paint(ColourRole::kRaised, 0.5f), 2);
  }
  const WarpAxis time{axis, pipeline, context.selection.warp};
  const std::string verb = context.study->instance.multiplies() ? "multiply" : "use";
  // Tiling shows the buffers where tiles go through several in turn.
  const std::string elsewhere =
      copies.rows.size() > 1 ? " " + std::string(kArrivedElsewhere) : std::string();
  for (std::size_t i = 0; i < copies.tiles.size(); ++i) {
    const TileCopy& tile = copies.tiles[i];
    if (tile.issue > axis.last()) break;
    const bool is_read = tile.first_read != kNever;
    const double end = is_read ? std::max(tile.last_use, tile.arrived) : tile.arrived;
    if (end < axis.first) continue;
    const auto place_of = [&](std::size_t row) {
      return Rect{axis.box.x, top + pitch * static_cast<float>(row), axis.box.w, height};
    };
    const Rect place = place_of(before + tile.row);
    const bool is_stored = tile.stored != kNever && (before > 0 || rests(tile));
    const Rect loaded = before > 0 && is_stored ? place_of(0) : place;
    const auto cycles = [](std::uint32_t count) { return counted(count, "cycle"); };
    draw_bar(pen, time, loaded,
             {static_cast<double>(tile.issue),
              static_cast<double>(is_stored ? std::min(tile.landed, tile.stored) : tile.arrived),
              ColourRole::kFirst, fmt::format("copy tile {}", i),
              fmt::format(
                  "Tile {}{}: its first load is issued at cycle {}; the whole tile has arrived {} "
                  "later.",
                  i,
                  tile.is_bulk ? fmt::format(" ({} by bulk copies)",
                                             format(static_cast<double>(tile.bytes), Unit::kBytes))
                               : std::string(),
                  format_count(tile.issue), cycles(tile.arrived - tile.issue))});
    if (rests(tile)) {
      draw_bar(pen, time, loaded,
               {static_cast<double>(tile.landed), static_cast<double>(tile.stored),
                ColourRole::kRaised, std::string(kTileInRegisters),
                fmt::format("Tile {} waits in registers for {} until the buffer may be written.", i,
                            cycles(tile.stored - tile.landed)),
                false});
    }
    if (is_stored) {
      draw_bar(
          pen, time, place,
          {static_cast<double>(tile.stored), static_cast<double>(tile.arrived), ColourRole::kFirst,
           fmt::format("store {}", i), fmt::format("Tile {} is written to shared memory.", i)});
    }
    if (!is_read) continue;
    if (tile.first_read > tile.arrived) {
      draw_bar(pen, time, place,
               {static_cast<double>(tile.arrived), static_cast<double>(tile.first_read),
                ColourRole::kRaised, std::string(kTileArrived),
                fmt::format("Tile {} has arrived {} before a warp reads it.{}", i,
                            cycles(tile.first_read - tile.arrived), elsewhere),
                false});
    }
    draw_bar(pen, time, place,
             {static_cast<double>(tile.first_read), static_cast<double>(tile.last_use),
              ColourRole::kSecond, fmt::format("{} {}", verb, i),
              fmt::format("Tile {} is used for {}.", i,
                          cycles(tile.last_use - std::min(tile.first_read, tile.last_use)))});
  }
}

}  // namespace tilescope
