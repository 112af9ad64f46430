#include "scene/occupancy/occupancy_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "analysis/occupancy/occupancy.h"
#include "analysis/study/parameter_occupancy.h"
#include "core/quantity.h"
#include "core/text.h"
#include "scene/model/prepared.h"
#include "scene/occupancy/occupancy_scene.h"
#include "scene/view/drawn_numbers.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {
namespace {

std::string count(int n) { return format_count(static_cast<std::uint64_t>(n)); }
std::string bytes(int n) { return format(n, Unit::kBytes); }
std::string of(int n, std::string_view what) {
  return fmt::format("{} {}{}", count(n), what, n == 1 ? "" : "s");
}
std::string_view is_are(int n) { return n == 1 ? "is" : "are"; }

int shared_bytes(const OccupancyRequest& request) {
  return request.static_shared_bytes + request.dynamic_shared_bytes;
}

Sentence cannot_run(const OccupancyFacts& facts) {
  const DeviceModel& device = facts.device;
  const OccupancyRequest& request = facts.request;
  const std::string where = fmt::format(" cannot run on the {}: ", facts.device_name);
  if (!facts.against.empty()) return {{"The kernel" + where, false}, {facts.against + ".", true}};
  if (request.threads_per_block > device.max_threads_per_block) {
    return {
        {fmt::format("A block of {} threads{}", count(request.threads_per_block), where), false},
        {fmt::format("its limit is {} threads per block.", count(device.max_threads_per_block)),
         true}};
  }
  const int most = max_registers_per_thread(device);
  if (request.registers_per_thread > most) {
    return {
        {fmt::format("A thread with {} registers{}", request.registers_per_thread, where), false},
        {fmt::format("its limit is {} per thread; the compiler would spill the rest.", most),
         true}};
  }
  if (facts.occupancy && facts.occupancy->limit == OccupancyLimit::kRegisters) {
    const ResourceShare& registers = facts.occupancy->share(OccupancyLimit::kRegisters);
    return {{fmt::format("A block of {} threads with {} registers each{}",
                         count(request.threads_per_block), request.registers_per_thread, where),
             false},
            {fmt::format("it needs {} registers; the limit is {} per block.",
                         count(registers.per_block), count(device.registers_per_block)),
             true}};
  }
  return {{fmt::format("A block with {} of shared memory{}", bytes(shared_bytes(request)), where),
           false},
          {fmt::format("the limit is {} per block.", bytes(device.shared_bytes_per_block_optin)),
           true}};
}

std::string resource_name(OccupancyLimit resource) {
  switch (resource) {
    case OccupancyLimit::kThreads:
      return "warp slots";
    case OccupancyLimit::kBlocks:
      return "block slots";
    default:
      return name_of(resource);
  }
}
std::string amount(OccupancyLimit resource, int value) {
  return resource == OccupancyLimit::kSharedMemory ? bytes(value) : count(value);
}

// Several that end at the same count: none of them alone would let another block in. Registers may
// be left and yet lie apart, in parts of the SM that are each too small.
std::string stop_together(const Occupancy& occupancy, const std::vector<OccupancyLimit>& limits) {
  std::vector<std::string> names;
  std::vector<std::string> each;
  std::string apart;
  for (const OccupancyLimit limit : limits) {
    const ResourceShare& share = occupancy.share(limit);
    const int left = share.left(occupancy.blocks_per_multiprocessor);
    names.push_back(resource_name(limit));
    if (left >= share.per_block) {
      apart = fmt::format(" The {} free {} are split over the parts of the SM.", count(left),
                          names.back());
      continue;
    }
    each.push_back(fmt::format("{} of {}{} {}", left <= 0 ? "none" : amount(limit, left),
                               amount(limit, share.per_block),
                               limit == OccupancyLimit::kSharedMemory ? " of" : "", names.back()));
  }
  std::string words = joined(names);
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  words += limits.size() == 2 ? " are both the limit" : " are all the limit";
  if (each.empty()) return words + "." + apart;
  return fmt::format("{}: of what another block needs, {} are free.{}", words, joined(each), apart);
}

// No more can be had: what else would stop another block is said in passing.
std::string all_warps(const Occupancy& occupancy, const std::vector<OccupancyLimit>& limits) {
  std::string words =
      fmt::format("All {} warp slots are used.", occupancy.max_warps_per_multiprocessor);
  std::vector<std::string> others;
  for (const OccupancyLimit limit : limits) {
    if (limit != OccupancyLimit::kThreads) others.push_back(resource_name(limit));
  }
  if (others.empty()) return words;
  std::string names = joined(others);
  names[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(names[0])));
  return fmt::format("{} {} would not allow another block either.", words, names);
}

// What stops the next block.
std::string stops(const Occupancy& occupancy) {
  const auto limits = limits_of(occupancy);
  if (occupancy.warps_per_multiprocessor == occupancy.max_warps_per_multiprocessor) {
    return all_warps(occupancy, limits);
  }
  if (limits.size() > 1) return stop_together(occupancy, limits);
  const ResourceShare& share = occupancy.share(occupancy.limit);
  const int left = share.left(occupancy.blocks_per_multiprocessor);
  switch (occupancy.limit) {
    case OccupancyLimit::kThreads:
      return fmt::format("Limited by warp slots: another block needs {}, and {} {} free.",
                         share.per_block, left, is_are(left));
    case OccupancyLimit::kRegisters:
      if (left >= share.per_block) {
        return fmt::format(
            "Limited by registers: {} are free, but no part of the SM has enough for another "
            "block's warps.",
            count(left));
      }
      return fmt::format("Limited by registers: another block needs {}, and {} {} free.",
                         count(share.per_block), left == 0 ? "none" : count(left),
                         left == 0 ? "is" : is_are(left));
    case OccupancyLimit::kSharedMemory:
      return fmt::format("Limited by shared memory: another block needs {}, and {} is free.",
                         bytes(share.per_block), left == 0 ? "none" : bytes(left));
    case OccupancyLimit::kBlocks: {
      const ResourceShare& warps = occupancy.share(OccupancyLimit::kThreads);
      const int free = warps.left(occupancy.blocks_per_multiprocessor);
      return fmt::format("Limited by block slots: all {} are used by blocks of {}; {} {} free.",
                         share.capacity, of(warps.per_block, "warp"), of(free, "warp slot"),
                         free == 1 ? "stays" : "stay");
    }
  }
  return {};
}

// A grid too small to fill the device leaves SMs with less than they could hold.
std::string grid_too_small(const OccupancyFacts& facts) {
  const auto sms = static_cast<std::uint64_t>(facts.device.multiprocessors);
  const auto places = sms * static_cast<std::uint64_t>(facts.occupancy->blocks_per_multiprocessor);
  if (facts.grid_blocks == 0 || facts.grid_blocks >= places) return {};
  return fmt::format(" The grid has {} block{}, fewer than the {} that fit on all {} SMs.",
                     format_count(facts.grid_blocks), facts.grid_blocks == 1 ? "" : "s",
                     format_count(places), format_count(sms));
}

}  // namespace

Sentence occupancy_unknown_sentence(std::string_view why) {
  return {
      {"The number of blocks per SM follows from the registers of the compiled kernel, ", false},
      {why.empty() ? "which is still being compiled."
                   : fmt::format("which are not known: {}.", why),
       true}};
}

Sentence occupancy_sentence(const OccupancyFacts& facts) {
  if (!facts.occupancy || facts.occupancy->blocks_per_multiprocessor == 0) {
    return cannot_run(facts);
  }
  const Occupancy& occupancy = *facts.occupancy;
  const std::string subject =
      facts.registers_of.empty()
          ? fmt::format("An SM of the {} holds", facts.device_name)
          : fmt::format("With the registers of {}, an SM of the {} would hold", facts.registers_of,
                        facts.device_name);
  Sentence sentence = {
      {fmt::format("{} {} of {}, {} of its {} warps. ", subject,
                   of(occupancy.blocks_per_multiprocessor, "block"),
                   of(facts.request.threads_per_block, "thread"),
                   occupancy.warps_per_multiprocessor, occupancy.max_warps_per_multiprocessor),
       false},
      {stops(occupancy), true}};
  if (std::string grid = grid_too_small(facts); !grid.empty()) {
    sentence.push_back({std::move(grid), false});
  }
  return sentence;
}

namespace {

void add_occupancy(NumberList& list, const Occupancy& occupancy) {
  list.add("blocks per SM", occupancy.blocks_per_multiprocessor);
  list.add("warps per SM", occupancy.warps_per_multiprocessor);
  list.add("most warps per SM", occupancy.max_warps_per_multiprocessor);
  list.add("occupancy", occupancy.percent(), "%");
}

void add_request(NumberList& list, const OccupancyRequest& request) {
  list.add("threads", request.threads_per_block);
  list.add("registers per thread", request.registers_per_thread);
  list.add("shared memory", request.static_shared_bytes + request.dynamic_shared_bytes, "B");
}

void add_resources(NumberList& list, const Occupancy& occupancy) {
  constexpr std::array kUnits = {"warps", "registers", "B", "blocks"};  // by OccupancyLimit
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    const auto limit = static_cast<OccupancyLimit>(i);
    const ResourceShare& share = occupancy.share(limit);
    list.item(name_of(limit));
    list.add("of an SM", share.capacity, kUnits.at(i));
    list.add("a block takes", share.per_block, kUnits.at(i));
    list.add("taken", share.capacity - share.left(occupancy.blocks_per_multiprocessor),
             kUnits.at(i));
    if (share.blocks != ResourceShare::kNoBound) list.add("blocks it allows", share.blocks);
  }
}

void add_flight(NumberList& list, const OccupancyPicture& picture) {
  list.part("bytes in flight", Source::kModelled);
  list.add("possible", picture.flight.possible, "B");
  list.add("needed", picture.flight.needed, "B");
  list.add("share", 100 * picture.flight.share(), "%");
  list.add("reads of what is moved", 100 * picture.flight.reads, "%");
  list.add("loads of a warp", picture.loads.loads);
  list.add("bytes of a warp", picture.loads.bytes, "B");
  list.add("warps that load", picture.loading_warps);
  list.add("bandwidth", picture.flight.bytes_per_second, "B/s");
  list.add("latency", picture.latency.cycles, "cycles");
  list.add("latency in time", picture.flight.latency_seconds, "s");
}

void add_curves(NumberList& list, const OccupancyPicture& picture) {
  struct Curve {
    OccupancyAxis axis;
    const char* name;
    const char* unit;
  };
  constexpr std::array kAxes{Curve{OccupancyAxis::kBlockSize, "threads per block", ""},
                             Curve{OccupancyAxis::kRegisters, "registers per thread", ""},
                             Curve{OccupancyAxis::kSharedMemory, "shared memory per block", "B"}};
  for (const Curve& curve : kAxes) {
    list.part(fmt::format("resident warps over {}", curve.name), picture.source());
    for (const OccupancyStep& step :
         occupancy_steps(*picture.device, picture.request, curve.axis)) {
      list.item(fmt::format("{} to {}", step.first, step.last));
      list.add("first", step.first, curve.unit);
      list.add("last", step.last, curve.unit);
      list.add("blocks per SM", step.blocks);
      list.add("warps per SM", step.warps);
    }
  }
}

void add_strips(NumberList& list, const ViewContext& context, const OccupancyPicture& picture) {
  if (context.entry == nullptr || context.entry->id != context.study->instance.id) return;
  list.part("warps at each value", Source::kModelled);
  for (const ParameterOccupancy& strip :
       parameter_occupancies({*context.entry, context.study->instance,
                              context.prepared->static_shared, *picture.device, picture.request})) {
    for (const ValueOccupancy& value : strip.values) {
      if (!value.legal || !value.occupancy) continue;
      list.item(fmt::format("{} {}", strip.name, value.value));
      list.source(value.present ? picture.source() : Source::kModelled);
      add_request(list, value.request);
      add_occupancy(list, *value.occupancy);
    }
  }
}

void add_devices(NumberList& list, const ViewContext& context, const OccupancyPicture& picture) {
  list.part("other devices", Source::kModelled);
  for (const DeviceModel& device : *context.devices) {
    const OnDevice there = on_device(context, picture.request, device);
    if (!there.runs()) continue;
    list.item(device.name);
    add_occupancy(list, *there.occupancy);
  }
}

}  // namespace

void add_occupancy_numbers(NumberList& list, const ViewContext& context) {
  const auto picture = occupancy_picture(context);
  if (!picture) return;
  list.part("block", picture->source());
  list.item(picture->device_name);
  add_request(list, picture->request);
  list.add("blocks of the grid", context.study->launch.grid.count());
  list.add("SMs", picture->device->multiprocessors);
  if (picture->occupancy) {
    add_occupancy(list, *picture->occupancy);
    list.part("SM", picture->source());
    add_resources(list, *picture->occupancy);
    add_flight(list, *picture);
  }
  add_curves(list, *picture);
  add_strips(list, context, *picture);
  if (context.devices != nullptr) add_devices(list, context, *picture);
}

namespace {

constexpr std::array kOccupancySettings{
    view_setting<&ViewSettings::device>("device", -1, 1000, "--device"),
    view_setting<&ViewSettings::latency_cycles>("latency_cycles", 0, 1'000'000)};

}  // namespace

ViewDescriptor occupancy_view() {
  return {
      .title = "Occupancy",
      .purpose = "How many blocks run on an SM, and what limits them",
      .least = {240, 210},
      .needs = {.registers = true, .issued = true},
      .in_panes = true,
      .settings = kOccupancySettings,
      .sentence = occupancy_sentence,
      .draw = draw_inside<draw_occupancy>,
      .add_numbers = add_occupancy_numbers,
      .parts = occupancy_parts(),
  };
}

}  // namespace tilescope
