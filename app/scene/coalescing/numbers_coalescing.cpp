#include <fmt/format.h>

#include <algorithm>

#include "scene/coalescing/coalescing_scene.h"
#include "scene/coalescing/coalescing_words.h"
#include "scene/drawn_numbers.h"
#include "scene/prepared.h"

namespace tilescope {
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
  if (!request) return;
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

}  // namespace tilescope
