#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/occupancy_limits.h"
#include "scene/occupancy/occupancy_scene.h"

namespace tilescope {
namespace {

constexpr float kGap = 6;

// By generation, the order of a history of GPUs.
std::vector<std::size_t> order_of(const std::vector<DeviceModel>& devices) {
  std::vector<std::size_t> order(devices.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {},
                           [&devices](std::size_t i) { return devices[i].compute_capability; });
  return order;
}

struct RowPlan {
  std::size_t rows = 1;
  std::size_t columns = 1;
  float width = 0;  // of a chip
};
RowPlan plan_of(const Pen& pen, float width, const std::vector<DeviceModel>& devices) {
  const TextStyle style = pen.style(11, ColourRole::kText, Weight::kSemibold);
  float longest = 0;
  for (const DeviceModel& device : devices) {
    longest = std::max(longest, pen.width(short_name(device), style));
  }
  RowPlan plan;
  for (plan.rows = 1; plan.rows <= 3; ++plan.rows) {
    plan.columns = (devices.size() + plan.rows - 1) / plan.rows;
    const auto columns = static_cast<float>(plan.columns);
    plan.width = (width + pen.px(kGap)) / columns - pen.px(kGap);
    const float figure = plan.rows > 1 ? pen.width("100 %", style) + pen.px(6) : 0;  // beside it
    if (longest + figure + pen.px(14) <= plan.width) break;
  }
  plan.rows = std::min<std::size_t>(plan.rows, 3);
  return plan;
}

// What the row is, above it where it is a single one.
float heading_height(const Pen& pen, const RowPlan& plan) {
  return plan.rows == 1 ? pen.px(20) : 0;
}

float chip_height(const Pen& pen, const RowPlan& plan) { return pen.px(plan.rows == 1 ? 38 : 20); }

// Of a device in the row: what stands on it.
struct Chip {
  const DeviceModel& device;
  std::size_t index = 0;  // in the table
  OnDevice there;
};

std::string why_not(const Chip& chip) {
  return chip.there.against.empty() ? "such a block cannot run there"
                                    : "cannot run there: " + chip.there.against;
}

void draw_chip(Pen& pen, const Rect& box, const RowPlan& plan, const Chip& chip,
               const OccupancyPicture& picture) {
  const DeviceModel& device = chip.device;
  const bool chosen = picture.device->name == device.name;
  const auto& fitting = chip.there.occupancy;
  const bool runs = chip.there.runs();
  const bool exact = fmt::format("sm_{}", device.compute_capability) == picture.architecture;
  pen.canvas.fill_rect(box, chosen ? ColourRole::kHover : ColourRole::kRaised, 5);
  const TextStyle name = pen.style(11, chosen ? ColourRole::kStrong : ColourRole::kText,
                                   chosen ? Weight::kSemibold : Weight::kMedium);
  const float x = box.x + pen.px(7);
  const float room = box.w - pen.px(12);
  const bool two_lines = plan.rows == 1;
  const std::string title = short_name(device);
  const float y = two_lines ? box.y + pen.px(12) : box.center().y;
  pen.text(x, y, pen.fitted(title, name, room), name);
  const std::string words = runs ? percent_words(fitting->percent() / 100) : "cannot run";
  const Paint tone = runs ? Paint(ColourRole::kDim) : Paint(ColourRole::kExcess);
  const TextStyle figures = pen.style(11, tone);
  if (two_lines) {
    pen.first_that_fits(x, box.y + pen.px(26), {words, runs ? "" : "0 %"}, figures, room);
  } else {
    const float left = room - pen.width(title, name) - pen.px(6);
    for (const std::string& each : {words, std::string(runs ? "" : "0 %")}) {
      if (pen.width(each, figures) > left) continue;
      pen.text(box.right() - pen.px(6) - pen.width(each, figures), y, each, figures);
      break;
    }
  }
  if (runs) {
    const float gauge = pen.px(3);
    const Rect track{box.x, box.bottom() - gauge, box.w, gauge};
    pen.canvas.fill_rect(track, ColourRole::kLine, 1);
    pen.canvas.fill_rect(
        {track.x, track.y, track.w * static_cast<float>(fitting->percent()) / 100, gauge},
        ColourRole::kFirst, 1);
  }
  if (chosen) pen.outline(box, ColourRole::kSelection, 1.5f, 5);
  const std::string how = exact ? "as compiled" : "with the registers of " + picture.architecture;
  pen.canvas.hit(
      box, {.kind = HitKind::kSetting,
            .value = static_cast<std::int64_t>(chip.index),
            .name = "device",
            .tooltip =
                runs ? fmt::format("{} (sm_{}), {}: {}, {} of {} warps per SM, limited by {}. "
                                   "Click to see it on this device.",
                                   device.name, device.compute_capability, how,
                                   counted(fitting->blocks_per_multiprocessor, "block"),
                                   fitting->warps_per_multiprocessor,
                                   fitting->max_warps_per_multiprocessor, limits_in_words(*fitting))
                     : fmt::format("{} (sm_{}), {}: {}. Click to see why.", device.name,
                                   device.compute_capability, how, why_not(chip))});
}

}  // namespace

float device_row_height(const Pen& pen, float width, const ViewContext& context) {
  if (!context.devices || context.devices->empty()) return 0;
  const RowPlan plan = plan_of(pen, width, *context.devices);
  const auto rows = static_cast<float>(plan.rows);
  return heading_height(pen, plan) + chip_height(pen, plan) * rows + pen.px(4) * (rows - 1);
}

void draw_device_row(Pen& pen, const Rect& area, const ViewContext& context,
                     const OccupancyPicture& picture) {
  const std::vector<DeviceModel>& devices = *context.devices;
  const RowPlan plan = plan_of(pen, area.w, devices);
  const float height = chip_height(pen, plan);
  const std::vector<std::size_t> order = order_of(devices);
  const float heading = heading_height(pen, plan);
  if (heading > 0) {
    pen.source_mark({area.x + pen.px(4), area.y + pen.px(6)}, Source::kModelled, ColourRole::kDim);
    pen.heading(area.x + pen.px(14), area.y + pen.px(6), "THE SAME BLOCK ON OTHER DEVICES",
                fmt::format("occupancy with the registers of {}{}", picture.architecture,
                            pen.hint("; click to choose")),
                area.right());
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const DeviceModel& device = devices[order[i]];
    const auto column = static_cast<float>(i % plan.columns);
    const auto row = static_cast<float>(i / plan.columns);
    draw_chip(pen,
              {area.x + (plan.width + pen.px(kGap)) * column,
               area.y + heading + (height + pen.px(4)) * row, plan.width, height},
              plan, {device, order[i], on_device(context, picture.request, device)}, picture);
  }
}

}  // namespace tilescope
