#include "scene/pipeline/pipeline_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "analysis/time/pipeline.h"
#include "core/quantity.h"
#include "scene/pipeline/pipeline_scene.h"
#include "scene/view/drawn_numbers.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {
namespace {

constexpr double kWorthNaming = 0.05;  // of the warps' time

std::string cycles(std::uint32_t count) { return counted(count, "cycle"); }

// "Warp 4", "Warps 0 to 3", "4 warps".
std::string warps_in_words(const std::vector<std::uint32_t>& warps) {
  if (warps.size() == 1) return fmt::format("warp {}", warps.front());
  if (warps.back() - warps.front() + 1 == warps.size())
    return fmt::format("warps {} {} {}", warps.front(), warps.size() == 2 ? "and" : "to",
                       warps.back());
  return counted(warps.size(), "warp");
}

std::string capital(std::string words) {
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  return words;
}

// Who loads for whom.
std::string who_copies(const PipelineFacts& facts) {
  if (facts.copies.empty()) return {};
  if (facts.producers.empty()) return facts.copies + " fill shared memory. ";
  const auto verb = [](const std::vector<std::uint32_t>& warps, std::string_view word) {
    return fmt::format("{}{}", word, warps.size() == 1 ? "s" : "");
  };
  std::string words =
      fmt::format("{} only {} tiles (producer), ", capital(warps_in_words(facts.producers)),
                  verb(facts.producers, "load"));
  if (!facts.helpers.empty()) {
    words += fmt::format("{} {} them in shared memory (helpers), ", warps_in_words(facts.helpers),
                         verb(facts.helpers, "prepare"));
  }
  return words + fmt::format("{} only {} them (consumers). ", warps_in_words(facts.consumers),
                             facts.multiplies ? "multiply" : "use");
}

// What they wait for at the mbarriers of a ring.
std::string who_waits(const PipelineFacts& facts) {
  if (facts.producers.empty()) return {};
  return fmt::format(
      "Consumers wait {} of their time for full stages, the producer {} for empty "
      "ones. ",
      about_percent_words(facts.consumers_wait), about_percent_words(facts.producers_wait));
}

std::string what_flows(const PipelineFacts& facts) {
  const char* use = facts.multiplies ? "multiplying" : "using";
  if (facts.tiles == 0) {
    const bool waits =
        facts.stalled[static_cast<std::size_t>(Stall::kLongScoreboard)] >= kWorthNaming;
    return fmt::format("No tile in shared memory: each warp {} the values that it loaded itself. ",
                       waits ? "waits for" : "works on");
  }
  if (facts.tiles == 1) {
    return fmt::format("One tile goes through shared memory: loading takes {}, {} it {}. ",
                       cycles(facts.copy_cycles), use, cycles(facts.use_cycles));
  }
  const char* part = facts.is_async ? "stage" : "buffer";
  if (facts.buffers <= 1) {
    return fmt::format("One {} of shared memory: loading a tile takes {}, then {} it {}. ", part,
                       cycles(facts.copy_cycles), use, cycles(facts.use_cycles));
  }
  std::string flight = facts.in_flight < 1.05 ? std::string("one copy")
                                              : fmt::format("{:.1f} copies", facts.in_flight);
  std::string size;
  if (facts.bytes_in_flight > 0) {
    flight += fmt::format(" ({})", format(facts.bytes_in_flight, Unit::kBytes));
    size = fmt::format(" of {}", format(static_cast<double>(facts.stage_bytes), Unit::kBytes));
  }
  const std::string start =
      fmt::format("{} {}s{} keep {} in flight. ", facts.buffers, part, size, flight);
  const std::uint32_t beside = facts.use_cycles * (facts.buffers - 1);
  const double waits = facts.copies.empty()
                           ? facts.stalled[static_cast<std::size_t>(Stall::kLongScoreboard)]
                           : facts.consumers_wait;
  const bool hides = waits < kWorthNaming;
  // Their time ends with the last use: what they wait for the next copy is in it.
  const char* effect = hides                        ? " and hide it"
                       : beside < facts.copy_cycles ? " and cannot hide it"
                                                    : "; their wait for it is included";
  if (facts.buffers == 2) {
    if (hides) effect = " and hides it";
    return start + fmt::format("A copy takes {}; {} meanwhile takes {}{}. ",
                               cycles(facts.copy_cycles),
                               facts.multiplies ? "the multiplication" : "the use",
                               cycles(facts.use_cycles), effect);
  }
  return start + fmt::format("A copy takes {}; the {} {} meanwhile take {}{}. ",
                             cycles(facts.copy_cycles), facts.buffers - 1,
                             facts.multiplies ? "multiplications" : "uses", cycles(beside), effect);
}

std::string waits_for(Stall stall, const ShortLatencyUnits& units) {
  switch (stall) {
    case Stall::kLongScoreboard:
      return "wait for global memory";
    case Stall::kShortScoreboard:
      return "wait for " + units.words();
    case Stall::kBarrier:
      return "wait for each other";
    case Stall::kMioThrottle:
      return fmt::format("wait because the queue to {} is full", units.words(true));
    case Stall::kLgThrottle:
      return "wait because the queue to global memory is full";
    case Stall::kMathPipeThrottle:
      return "wait because the arithmetic unit is busy";
    case Stall::kBranchResolving:
      return "wait for branches";
    case Stall::kMbarrier:
      return "wait at mbarriers";
    case Stall::kGmma:
      return "wait for the matrix products of their warp group";
    case Stall::kNone:
    case Stall::kWait:
    case Stall::kNotSelected:
      break;
  }
  return "wait for results of their own arithmetic";
}

Stall worst(const PipelineFacts& facts) {
  Stall found = Stall::kNone;
  for (const Stall stall :
       {Stall::kLongScoreboard, Stall::kShortScoreboard, Stall::kBarrier, Stall::kWait,
        Stall::kMathPipeThrottle, Stall::kMioThrottle, Stall::kLgThrottle, Stall::kBranchResolving,
        Stall::kMbarrier, Stall::kGmma}) {
    if (facts.stalled[static_cast<std::size_t>(stall)] >
        facts.stalled[static_cast<std::size_t>(found)]) {
      found = stall;
    }
  }
  return found;
}

}  // namespace

Sentence pipeline_sentence(const PipelineFacts& facts) {
  const Stall stall = worst(facts);
  const double share = facts.stalled[static_cast<std::size_t>(stall)];
  std::string waits = "Warps hardly wait.";
  if (stall != Stall::kNone && share >= kWorthNaming) {
    waits = fmt::format("{} of the time warps {} ({}).", about_percent_words(share),
                        waits_for(stall, facts.short_latency), name_of(stall));
  }
  // The time model says what limits the kernel, as in every other view.
  if (!facts.limited_by.empty()) waits += " " + facts.limited_by + ".";
  return {{who_copies(facts) + what_flows(facts) + who_waits(facts), false}, {waits, true}};
}

namespace {

void add_busy(NumberList& list, const WarpTiming& timing) {
  for (std::size_t i = 0; i < kResourceCount; ++i) {
    list.item(name_of(static_cast<Resource>(i)));
    list.add("busy", 100 * timing.busy[i], "%");
  }
}

void add_warp_time(NumberList& list, const WarpTiming& timing) {
  std::uint64_t all = timing.issued;
  for (const std::uint64_t cycles : timing.stalled) all += cycles;
  if (all == 0) return;
  const auto add = [&](const char* name, std::uint64_t cycles) {
    list.item(name);
    list.add("warp cycles", cycles, "cycles");
    list.add("share", 100 * static_cast<double>(cycles) / static_cast<double>(all), "%");
  };
  add("issued", timing.issued);
  for (std::size_t i = 1; i < kStallCount; ++i) {
    add(name_of(static_cast<Stall>(i)), timing.stalled[i]);
  }
}

void add_tiles(NumberList& list, const Pipeline& pipeline, const CycleAxis& axis) {
  for (std::size_t i = 0; i < pipeline.copies.tiles.size(); ++i) {
    const TileCopy& tile = pipeline.copies.tiles[i];
    if (std::max(tile.arrived, tile.last_use) < axis.first || tile.issue > axis.last()) continue;
    list.item(fmt::format("tile {}", i));
    list.add("stage", tile.row);
    list.add("first load", tile.issue, "cycles");
    list.add("arrived", tile.arrived, "cycles");
    if (tile.first_read == kNever) continue;
    list.add("first use", tile.first_read, "cycles");
    list.add("last use", tile.last_use, "cycles");
  }
}

// Stretches in which warps wait or work, as far as they are in sight.
void add_activities(NumberList& list, const Pipeline& pipeline, const CycleAxis& axis) {
  for (std::size_t warp = 0; warp < pipeline.moments.size(); ++warp) {
    std::array<double, kStallCount> cycles{};
    for (const WarpMoment& moment : pipeline.moments[warp]) {
      const auto inside = [&](std::uint32_t begin, std::uint32_t end) {
        return std::max(0.0,
                        std::min<double>(end, axis.last()) - std::max<double>(begin, axis.first));
      };
      cycles[static_cast<std::size_t>(moment.stall)] += inside(moment.waits_from, moment.ready);
      cycles[static_cast<std::size_t>(moment.late)] += inside(moment.ready, moment.issue);
      cycles[static_cast<std::size_t>(Stall::kNone)] += inside(moment.issue, moment.issue + 1);
    }
    list.item(fmt::format("warp {}", warp));
    for (std::size_t i = 0; i < kStallCount; ++i) {
      list.add(i == 0 ? "issued" : name_of(static_cast<Stall>(i)), cycles[i], "cycles");
    }
  }
}

void add_alternatives(NumberList& list, const std::vector<PipelineAlternative>& alternatives) {
  for (const PipelineAlternative& each : alternatives) {
    const WarpTiming& timing = each.pipeline->timing;
    list.item(fmt::format("STAGES {}", each.stages));
    if (each.pipeline->kernel_seconds > 0) {
      list.add("kernel time at this SM's pace", each.pipeline->kernel_seconds, "s");
    }
    list.add(fmt::format("{} busy", name_of(timing.bound())),
             100 * timing.busy[static_cast<std::size_t>(timing.bound())], "%");
    list.add("blocks per SM", timing.resident_blocks);
  }
}

}  // namespace

void add_pipeline_numbers(NumberList& list, const ViewContext& context) {
  if (!context.study->pipeline) return;
  const Pipeline& pipeline = *context.study->pipeline;
  const CycleAxis axis = cycle_axis(context, pipeline, {});
  list.part("pipeline", Source::kModelled);
  list.add("cycles of the block", pipeline.timing.cycles, "cycles");
  list.add("first cycle shown", axis.first, "cycles");
  list.add("last cycle shown", axis.last(), "cycles");
  list.add("cycle of the selected moment",
           pipeline.cycle_of(context.selection.warp, context.selection.event), "cycles");
  list.add("blocks per SM", pipeline.timing.resident_blocks);
  if (pipeline.kernel_seconds > 0) {
    list.add("kernel time at this SM's pace", pipeline.kernel_seconds, "s");
  }
  list.add("stages", pipeline.copies.rows.size());
  list.add("copies in flight", pipeline.copies.in_flight());
  if (pipeline.copies.bytes_in_flight() > 0)
    list.add("bytes in flight", pipeline.copies.bytes_in_flight(), "B");
  for (const std::uint32_t warp : pipeline.copies.producers()) list.add("producer warp", warp);
  list.add("a copy takes", pipeline.copies.copy_cycles(), "cycles");
  list.add("a use takes", pipeline.copies.use_cycles(), "cycles");
  list.add("sectors past L1 from DRAM", 100 * pipeline.dram_share, "%");
  list.add("sectors found in L1", 100 * pipeline.timing.l1_hits, "%");
  list.part("units", Source::kModelled);
  add_busy(list, pipeline.timing);
  list.part("warp time", Source::kModelled);
  add_warp_time(list, pipeline.timing);
  list.part("ring", Source::kModelled);
  add_tiles(list, pipeline, axis);
  list.part("warps in sight", Source::kModelled);
  add_activities(list, pipeline, axis);
  list.part("stages", Source::kModelled);
  if (context.alternatives != nullptr) add_alternatives(list, *context.alternatives);
}

ViewDescriptor pipeline_view() {
  return {
      .title = "Pipeline",
      .purpose = "When the block's warps load, wait and compute, in modelled cycles",
      .least = {300, 210},
      .needs = {.registers = true,
                .issued = true,
                .pipeline = true,
                .times = true,
                .stages = true,
                .phases = true},
      .zoom = ViewZoom::kTime,
      .in_panes = true,
      .sentence = pipeline_sentence,
      .draw = draw_inside<draw_pipeline>,
      .add_numbers = add_pipeline_numbers,
  };
}

}  // namespace tilescope
