#include "scene/coalescing/coalescing_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/quantity.h"
#include "scene/coalescing/bulk_picture.h"
#include "scene/coalescing/coalescing_scene.h"
#include "scene/coalescing/global_table.h"
#include "scene/model/copy_flow.h"
#include "scene/model/prepared.h"
#include "scene/view/default_selection.h"
#include "scene/view/drawn_numbers.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {
namespace {

std::string subject(const CoalescingFacts& facts) {
  const std::string_view verb = verb_of(facts.kind);
  return facts.line == 0 ? fmt::format("This instruction {}", verb)
                         : fmt::format("Line {} {}", facts.line, verb);
}

std::string sectors(int count) { return fmt::format("{} sector{}", count, count == 1 ? "" : "s"); }

std::string bytes(std::uint64_t count) { return format_count(count) + " B"; }

std::uint64_t moved(const SectorCost& cost) {
  return static_cast<std::uint64_t>(cost.sectors) * kSectorBytes;
}

std::string elements(const CoalescingFacts& facts, int count) {
  return elements_phrase(static_cast<std::uint64_t>(count), facts.type, facts.bytes_per_lane);
}

std::string singular(const CoalescingFacts& facts) {
  const std::string phrase = elements(facts, 1);  // "1 float"
  return "one" + phrase.substr(1);
}

// "12 lanes are off." when some are.
std::string absent_lanes(const AccessShape& shape) {
  const int off = kWarpSize - shape.lanes;
  if (off == 0) return {};
  return fmt::format(" {} of the warp's 32 lanes {} inactive.", off, off == 1 ? "is" : "are");
}

// What it costs, in the same words for every pattern.
std::string cost_words(const SectorCost& cost) {
  const auto useful = static_cast<std::uint64_t>(cost.useful_bytes);
  if (cost.sectors <= cost.ideal_sectors) {
    if (useful == moved(cost)) {
      return fmt::format("Coalesced: {} ({}), all bytes used.", sectors(cost.sectors),
                         bytes(useful));
    }
    return fmt::format("{} ({}), {} used: the minimum.", sectors(cost.sectors), bytes(moved(cost)),
                       bytes(useful));
  }
  return fmt::format("Not fully coalesced: {} ({}) are moved and {} are used; {} would be enough.",
                     sectors(cost.sectors), bytes(moved(cost)), bytes(useful), cost.ideal_sectors);
}

Sentence strided(const CoalescingFacts& facts) {
  const AccessShape& shape = facts.shape;
  const auto distance = static_cast<std::uint64_t>(std::llabs(shape.stride_bytes));
  const std::string what =
      fmt::format("{} {}, {} apart.{} ", subject(facts), elements(facts, shape.lanes),
                  bytes(distance), absent_lanes(shape));
  if (facts.cost.sectors == shape.lanes && facts.cost.sectors > facts.cost.ideal_sectors) {
    return {{what, false},
            {fmt::format("Not coalesced: each lane needs its own 32-byte sector, so {} ({}) are "
                         "moved and {} are used.",
                         sectors(facts.cost.sectors), bytes(moved(facts.cost)),
                         bytes(static_cast<std::uint64_t>(facts.cost.useful_bytes))),
             true}};
  }
  return {{what, false}, {cost_words(facts.cost), true}};
}

Sentence contiguous(const CoalescingFacts& facts) {
  const AccessShape& shape = facts.shape;
  const std::string what = fmt::format("{} {} at contiguous addresses.{} ", subject(facts),
                                       elements(facts, shape.lanes), absent_lanes(shape));
  if (facts.cost.sectors <= facts.cost.ideal_sectors) {
    return {{what, false}, {cost_words(facts.cost), true}};
  }
  const std::uint64_t past = shape.first % kSectorBytes;
  return {{what, false},
          {fmt::format("Misaligned by {}: {} instead of {}.", bytes(past),
                       sectors(facts.cost.sectors), facts.cost.ideal_sectors),
           true}};
}

Sentence runs(const CoalescingFacts& facts) {
  const AccessShape& shape = facts.shape;
  const std::string length = shape.run_length > 0
                                 ? fmt::format(" of {}", elements(facts, shape.run_length))
                                 : std::string();
  const std::string apart =
      shape.runs > 1 && shape.run_distance_bytes > 0
          ? fmt::format(", {} apart", bytes(static_cast<std::uint64_t>(shape.run_distance_bytes)))
          : std::string();
  return {{fmt::format("{} {} runs{}{}.{} ", subject(facts), shape.runs, length, apart,
                       absent_lanes(shape)),
           false},
          {cost_words(facts.cost), true}};
}

Sentence apart(const CoalescingFacts& facts) {
  const AccessShape& shape = facts.shape;
  const std::string for_whom = shape.lanes_each > 0
                                   ? fmt::format("each for {} lanes", shape.lanes_each)
                                   : fmt::format("for {} lanes", shape.lanes);
  return {{fmt::format("{} {}, {} apart, {}. ", subject(facts), elements(facts, shape.distinct),
                       bytes(static_cast<std::uint64_t>(shape.run_distance_bytes)), for_whom),
           false},
          {cost_words(facts.cost), true}};
}

}  // namespace

Sentence coalescing_sentence(const CoalescingFacts& facts) {
  const AccessShape& shape = facts.shape;
  const std::string start = subject(facts);
  switch (shape.pattern) {
    case LanePattern::kNone:
      return {{start + " nothing: no lane of this warp is active here.", false}};
    case LanePattern::kSingle:
      return {
          {fmt::format("{} {} for one lane; the other 31 are inactive. ", start, singular(facts)),
           false},
          {cost_words(facts.cost), true}};
    case LanePattern::kBroadcast: {
      const std::string_view all = shape.lanes == kWarpSize ? "all " : "";
      const bool reads = facts.kind == AccessKind::kLoad || facts.kind == AccessKind::kAsyncCopy;
      return {
          {fmt::format("{} {} for {}{} lanes. ", start, singular(facts), all, shape.lanes), false},
          {fmt::format("All of them use the same address{}: {}.", reads ? " (broadcast)" : "",
                       sectors(facts.cost.sectors)),
           true}};
    }
    case LanePattern::kContiguous:
      return contiguous(facts);
    case LanePattern::kStrided:
      return strided(facts);
    case LanePattern::kShared:
      return {{fmt::format(
                   "{} {} at contiguous addresses for {} lanes; some lanes use the same element. ",
                   start, elements(facts, shape.distinct), shape.lanes),
               false},
              {cost_words(facts.cost), true}};
    case LanePattern::kApart:
      return apart(facts);
    case LanePattern::kRuns:
      return runs(facts);
    case LanePattern::kScattered:
      return {{fmt::format("{} {} at scattered addresses.{} ", start,
                           elements(facts, shape.distinct), absent_lanes(shape)),
               false},
              {cost_words(facts.cost), true}};
  }
  return {};
}

Sentence coalescing_sentence(const ViewContext& context) {
  const auto request = global_request(context);
  if (!request) {
    if (const auto copy = bulk_request(context)) return bulk_sentence(*copy);
    return {{"This block does not access global memory.", false}};
  }
  CoalescingFacts facts;
  facts.line = request->instruction->outermost.line;
  facts.kind = request->access.kind;
  if (request->instruction->access == AccessKind::kAsyncCopy) facts.kind = AccessKind::kAsyncCopy;
  facts.type = request->buffer ? request->buffer->type : ElementType::kU8;
  facts.bytes_per_lane = request->access.bytes_per_lane;
  facts.shape = request->shape;
  facts.cost = request->cost;
  Sentence sentence = coalescing_sentence(facts);
  if (const std::uint64_t bulk = bulk_bytes(*context.study->trace).all(); bulk > 0) {
    sentence.push_back({fmt::format(" Bulk copies move {} more for this block.",
                                    format(static_cast<double>(bulk), Unit::kBytes)),
                        false});
  }
  return sentence;
}

namespace {

void add_lanes(NumberList& list, const GlobalRequest& request) {
  const std::uint64_t base = request.buffer ? request.buffer->address : 0;
  const std::string name =
      request.buffer ? "offset in " + request.buffer->name : std::string("address");
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    list.item(fmt::format("lane {}", lane), request.instruction->outermost.line);
    list.add(name, request.access.address[lane] - base, "B");
  }
}

void add_traffic(NumberList& list, const AccessCounters& counters) {
  list.add("requests", counters.requests);
  list.add("sectors", counters.sectors);
  list.add("ideal sectors", counters.sectors_ideal);
  list.add("excess sectors", counters.sectors - std::min(counters.sectors, counters.sectors_ideal));
  const auto sectors = static_cast<double>(counters.sectors);
  if (counters.requests > 0) {
    list.add("sectors per request", sectors / static_cast<double>(counters.requests));
  }
  if (counters.sectors > 0) {
    list.add("efficiency", 100 * static_cast<double>(counters.sectors_ideal) / sectors, "%");
  }
}

void add_lines(NumberList& list, const PreparedStudy& prepared) {
  for (const GlobalLine& line : prepared.global_lines) {
    list.item(fmt::format("line {} {}", line.line, noun_of(line.access)), line.line);
    add_traffic(list, line.counters);
  }
}

void add_bulk_numbers(NumberList& list, const BulkRequest& copy) {
  list.part("bulk copy");
  list.item(copy.matrix, copy.line);
  list.add("rows", copy.rows.size());
  list.add("bytes", copy.box.bytes, "B");
  list.add("sectors", copy.sectors);
  list.add("ideal sectors", copy.sectors_ideal);
}

void add_totals(NumberList& list, const PreparedStudy& prepared) {
  list.part("totals");
  for (const GlobalTotal& total : global_totals(prepared.global_lines)) {
    list.item(std::string(total.name));
    add_traffic(list, total.counters);
  }
}

}  // namespace

void add_coalescing_numbers(NumberList& list, const ViewContext& context) {
  const auto request = global_request(context);
  if (!request) {
    if (const auto copy = bulk_request(context)) add_bulk_numbers(list, *copy);
    return;
  }
  const SectorCost& cost = request->cost;
  list.part("request");
  list.item("", request->instruction->outermost.line);
  list.add("warp", request->warp);
  list.add("active lanes", request->shape.lanes);
  list.add("bytes per lane", request->access.bytes_per_lane, "B");
  list.add("sectors", cost.sectors);
  list.add("ideal sectors", cost.ideal_sectors);
  list.add("lines of 128 B", cost.lines);
  list.add("moved", cost.sectors * static_cast<int>(kSectorBytes), "B");
  list.add("wanted", cost.useful_bytes, "B");
  list.part("lanes");
  add_lanes(list, *request);
  list.part("global memory instructions");
  add_lines(list, *context.prepared);
  if (context.study->counters != nullptr) {
    list.item("");
    list.add("blocks counted", context.study->counters->blocks_counted);
    list.add("blocks stood for", context.study->counters->blocks_represented);
  }
  add_totals(list, *context.prepared);
}

ViewDescriptor coalescing_view() {
  return {
      .title = "Coalescing",
      .purpose = "The sectors that a warp's global access moves",
      .least = {320, 240},
      .accesses = MemorySpace::kGlobal,
      .in_panes = true,
      .select = look_at_worst_global,
      .sentence = coalescing_sentence,
      .draw = draw_inside<draw_coalescing>,
      .add_numbers = add_coalescing_numbers,
      .parts = coalescing_parts(),
  };
}

}  // namespace tilescope
