#include <fmt/format.h>

#include "analysis/occupancy_steps.h"
#include "analysis/parameter_occupancy.h"
#include "scene/drawn_numbers.h"
#include "scene/occupancy/occupancy_scene.h"
#include "scene/occupancy/occupancy_words.h"
#include "scene/prepared.h"

namespace tilescope {
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
  constexpr std::array kCurves{Curve{OccupancyAxis::kBlockSize, "threads per block", ""},
                               Curve{OccupancyAxis::kRegisters, "registers per thread", ""},
                               Curve{OccupancyAxis::kSharedMemory, "shared memory per block", "B"}};
  for (const Curve& curve : kCurves) {
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

}  // namespace tilescope
