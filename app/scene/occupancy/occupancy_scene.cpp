#include "scene/occupancy/occupancy_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "scene/drawing/empty_view.h"
#include "scene/occupancy/occupancy_words.h"
#include "scene/prepared.h"
#include "scene/view.h"

namespace tilescope {
namespace {

const DeviceModel* chosen_device(const ViewContext& context) {
  const int chosen = context.settings.device;
  if (context.devices && chosen >= 0 && chosen < static_cast<int>(context.devices->size())) {
    return &(*context.devices)[static_cast<std::size_t>(chosen)];
  }
  return context.study->device.get();
}

void erase(std::string& text, std::string_view part) {
  const std::size_t at = text.find(part);
  if (at != std::string::npos) text.erase(at, part.size());
}

// Warps of the fullest SM: those that it can hold, or what the grid has for it.
int loading_warps(const KernelStudy& study, const DeviceModel& device, const Occupancy& occupancy) {
  const std::uint64_t sms = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
  const std::uint64_t of_grid = (study.launch.grid.count() + sms - 1) / sms;
  const auto held = static_cast<std::uint64_t>(occupancy.blocks_per_multiprocessor);
  return static_cast<int>(std::min(held, of_grid)) *
         occupancy.share(OccupancyLimit::kThreads).per_block;
}

}  // namespace

std::string short_name(const DeviceModel& device) {
  std::string name = device.name;
  for (const std::string_view part : {"NVIDIA ", "GeForce ", " 80GB", " SXM5"}) erase(name, part);
  return name;
}

// 0..1 of what the launch moves to and from device memory; 1 where nothing is counted.
static double reads_of(const PreparedStudy& prepared) {
  if (prepared.diagnosis == nullptr) return 1;
  const LaunchWork& work = prepared.diagnosis->work;
  const double moved = work.dram_read_bytes + work.dram_write_bytes;
  return work.dram_read_bytes > 0 ? work.dram_read_bytes / moved : 1;
}

OnDevice on_device(const ViewContext& context, const OccupancyRequest& request,
                   const DeviceModel& device) {
  OnDevice there;
  const auto fitting = occupancy(device, request);
  if (!fitting) return there;
  const KernelInstance& instance = context.study->instance;
  const bool has_rules = context.entry != nullptr && context.entry->id == instance.id;
  if (has_rules && fitting->blocks_per_multiprocessor > 0) {
    there.against = rule_against(device, *context.entry, instance);
  }
  if (there.against.empty()) there.occupancy = *fitting;
  return there;
}

std::optional<OccupancyPicture> occupancy_picture(const ViewContext& context) {
  const KernelStudy& study = *context.study;
  const DeviceModel* device = chosen_device(context);
  if (device == nullptr || study.device == nullptr || !study.compiled->has_resources) {
    return std::nullopt;
  }
  OccupancyPicture picture;
  picture.study = &study;
  picture.device = device;
  picture.device_name = short_name(*device);
  picture.as_compiled = device->compute_capability == study.device->compute_capability;
  picture.architecture = fmt::format("sm_{}", study.device->compute_capability);
  picture.request = {static_cast<int>(study.instance.block.count()),
                     study.compiled->resources.registers,
                     study.compiled->resources.static_shared_bytes,
                     static_cast<int>(study.instance.dynamic_shared_bytes)};
  const OnDevice there = on_device(context, picture.request, *device);
  picture.occupancy = there.occupancy;
  picture.against = there.against;
  picture.loads = context.prepared->loads;
  picture.latency = memory_latency(*device);
  if (context.settings.latency_cycles > 0) {
    picture.latency.cycles = context.settings.latency_cycles;
    picture.latency.source = "chosen below";
  }
  if (picture.occupancy) {
    picture.loading_warps = loading_warps(study, *device, *picture.occupancy);
    picture.flight = bytes_in_flight(*device, picture.latency.cycles, picture.loads.bytes,
                                     picture.loading_warps, reads_of(*context.prepared));
  }
  return picture;
}

Sentence occupancy_sentence(const ViewContext& context) {
  ViewContext prepared = context;
  prepared.prepared = prepared_of(context);
  const auto picture = occupancy_picture(prepared);
  if (!picture) return occupancy_unknown_sentence(context.study->compiled->why_no_cubin);
  return occupancy_sentence(OccupancyFacts{
      *picture->device, picture->device_name, picture->as_compiled ? "" : picture->architecture,
      picture->request, picture->occupancy, context.study->launch.grid.count(), picture->against});
}

void draw_occupancy(Canvas& canvas, const Rect& area, const ViewContext& context) {
  Pen pen(canvas, context);
  const auto picture = occupancy_picture(context);
  if (!picture) {
    draw_empty(
        pen, area, "Computing the registers of a thread …",
        "The kernel is being compiled for the device; what fits on an SM follows from that.");
    return;
  }
  const float row = device_row_height(pen, area.w, context);
  const Rect upper{area.x, area.y, area.w, area.h - (row > 0 ? row + pen.px(14) : 0)};
  const float gap = pen.px(area.w >= pen.px(900) ? 44 : 20);
  const Rect left{upper.x, upper.y, (upper.w - gap) * 0.44f, upper.h};
  const Rect right{left.right() + gap, upper.y, upper.w - left.w - gap, upper.h};

  const float flight = upper.h >= pen.px(390)   ? pen.px(138)
                       : upper.h >= pen.px(225) ? pen.px(64)
                                                : 0;
  draw_sm_resources(pen, {left.x, left.y, left.w, left.h - flight}, *picture);
  if (flight > 0) {
    draw_bytes_in_flight(pen, {left.x, left.bottom() - flight, left.w, flight}, *picture);
  }
  const bool strips = right.h >= pen.px(190) && context.entry != nullptr &&
                      !context.entry->parameters.empty() &&
                      context.entry->id == context.study->instance.id;
  const float wanted =
      strips
          ? right.h - pen.px(34) - pen.px(34) * static_cast<float>(context.entry->parameters.size())
          : right.h;
  const float curves =
      strips ? std::clamp(wanted, std::max(right.h * 0.46f, pen.px(106)), right.h * 0.66f)
             : right.h;
  draw_occupancy_curves(pen, {right.x, right.y, right.w, curves}, *picture);
  if (strips) {
    const float top = right.y + curves + pen.px(14);
    draw_parameter_strips(pen, {right.x, top, right.w, right.bottom() - top}, context, *picture);
  }
  if (row > 0) {
    draw_device_row(pen, {area.x, area.bottom() - row, area.w, row}, context, *picture);
  }
}

}  // namespace tilescope
