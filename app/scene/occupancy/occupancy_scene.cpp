#include "scene/occupancy/occupancy_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "analysis/occupancy/occupancy.h"
#include "scene/model/prepared.h"
#include "scene/occupancy/occupancy_curves.h"
#include "scene/occupancy/occupancy_words.h"
#include "scene/view/empty_view.h"
#include "scene/view/view.h"

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
  for (const std::string_view part :
       {"NVIDIA ", "GeForce ", "Jetson ", " 64GB", " 80GB", " SXM5", " T5000"}) {
    erase(name, part);
  }
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
    draw_empty(pen, area, "Computing the registers per thread …",
               "The kernel is being compiled for the device; the occupancy follows from that.");
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

namespace {

constexpr float kColumnGap = 6;
constexpr std::size_t kMostRows = 4;

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
  float width = 0;                        // of a chip
  std::string_view never = "cannot run";  // on each device where such a block does not run
};
RowPlan plan_of(const Pen& pen, float width, const std::vector<DeviceModel>& devices) {
  const TextStyle style = pen.style(11, ColourRole::kText, Weight::kSemibold);
  float longest = 0;
  for (const DeviceModel& device : devices) {
    longest = std::max(longest, pen.width(short_name(device), style));
  }
  RowPlan plan;
  for (plan.rows = 1; plan.rows <= kMostRows; ++plan.rows) {
    plan.columns = (devices.size() + plan.rows - 1) / plan.rows;
    const auto columns = static_cast<float>(plan.columns);
    plan.width = (width + pen.px(kColumnGap)) / columns - pen.px(kColumnGap);
    const float figure = plan.rows > 1 ? pen.width("100 %", style) + pen.px(6) : 0;  // beside it
    if (longest + figure + pen.px(14) <= plan.width) break;
  }
  plan.rows = std::min(plan.rows, kMostRows);
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

// Whether the words that it cannot run have room on it.
bool never_fits(const Pen& pen, const RowPlan& plan, const Chip& chip) {
  if (chip.there.runs()) return true;
  const TextStyle name = pen.style(11, ColourRole::kText, Weight::kSemibold);
  const float beside = plan.rows == 1 ? 0 : pen.width(short_name(chip.device), name) + pen.px(6);
  return pen.width(plan.never, pen.style(11, ColourRole::kExcess)) + beside <=
         plan.width - pen.px(12);
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
  const float y = two_lines ? box.y + pen.px(12) : box.center().y;
  const std::string words =
      runs ? percent_words(fitting->percent() / 100) : std::string(plan.never);
  const Paint tone = runs ? Paint(ColourRole::kDim) : Paint(ColourRole::kExcess);
  const TextStyle figures = pen.style(11, tone);
  const float figure = pen.width(words, figures);
  const float beside = two_lines ? 0 : figure + pen.px(6);
  pen.text(x, y, pen.fitted(short_name(device), name, room - beside), name);
  pen.text(two_lines ? x : box.right() - pen.px(6) - figure, two_lines ? box.y + pen.px(26) : y,
           words, figures);
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
                                   "Click to show it on this device.",
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
  RowPlan plan = plan_of(pen, area.w, devices);
  const float height = chip_height(pen, plan);
  std::vector<Chip> chips;
  for (const std::size_t i : order_of(devices)) {
    chips.push_back({devices[i], i, on_device(context, picture.request, devices[i])});
  }
  if (!std::ranges::all_of(chips, [&](const Chip& chip) { return never_fits(pen, plan, chip); })) {
    plan.never = "0 %";
  }
  const float heading = heading_height(pen, plan);
  if (heading > 0) {
    pen.source_mark({area.x + pen.px(4), area.y + pen.px(6)}, Source::kModelled, ColourRole::kDim);
    pen.heading(area.x + pen.px(14), area.y + pen.px(6), "THE SAME BLOCK ON OTHER DEVICES",
                fmt::format("occupancy with the registers of {}{}", picture.architecture,
                            pen.hint("; click to choose")),
                area.right());
  }
  for (std::size_t i = 0; i < chips.size(); ++i) {
    const auto column = static_cast<float>(i % plan.columns);
    const auto row = static_cast<float>(i / plan.columns);
    draw_chip(pen,
              {area.x + (plan.width + pen.px(kColumnGap)) * column,
               area.y + heading + (height + pen.px(4)) * row, plan.width, height},
              plan, chips[i], picture);
  }
}

namespace {

constexpr float kHead = 46;  // the percentage and what it says

struct Resource {
  OccupancyLimit kind = OccupancyLimit::kThreads;
  std::string_view title;
  std::string_view unit;  // after a number; bytes have theirs
};
constexpr std::array kResources{
    Resource{OccupancyLimit::kThreads, "Warp slots", " warp slots"},
    Resource{OccupancyLimit::kRegisters, "Registers", " registers"},
    Resource{OccupancyLimit::kSharedMemory, "Shared memory", ""},
    Resource{OccupancyLimit::kBlocks, "Block slots", " block slots"},
};

std::string amount(const Resource& resource, int value) {
  return resource.kind == OccupancyLimit::kSharedMemory
             ? format(value, Unit::kBytes)
             : format_count(static_cast<std::uint64_t>(std::max(value, 0)));
}

// The system's own part of a block's shared memory.
std::string shared_note(const DeviceModel& device) {
  if (device.reserved_shared_bytes_per_block == 0) return {};
  return fmt::format(", {} of it reserved",
                     format(device.reserved_shared_bytes_per_block, Unit::kBytes));
}

// Whole warps get them in units: 121 for each of 256 threads, 30,976, take 32,768.
std::string registers_note(const OccupancyPicture& picture, int per_block) {
  const int asked = picture.request.registers_per_thread * picture.request.threads_per_block;
  if (per_block <= asked) return {};
  return fmt::format(", {} rounded up", format_count(static_cast<std::uint64_t>(asked)));
}

// "a block may take 48.0 KiB": what a single block oversteps.
std::string refusal(OccupancyLimit kind, const OccupancyPicture& picture) {
  const DeviceModel& device = *picture.device;
  const int most = max_registers_per_thread(device);
  switch (kind) {
    case OccupancyLimit::kRegisters:
      return picture.request.registers_per_thread > most
                 ? fmt::format("a thread can use {}", most)
                 : fmt::format(
                       "a block can use {}",
                       format_count(static_cast<std::uint64_t>(device.registers_per_block)));
    case OccupancyLimit::kSharedMemory:
      return "a block can use " + format(device.shared_bytes_per_block_optin, Unit::kBytes);
    default:
      return fmt::format("a block can have {} threads",
                         format_count(static_cast<std::uint64_t>(device.max_threads_per_block)));
  }
}

// One resource of the SM and the blocks that hold it.
struct Track {
  Resource resource;
  ResourceShare share;
  int blocks = 0;
  bool limits = false;
  bool all_warps = false;  // they are there: that nothing more fits is no loss
  std::string note;        // why a block's share is more than it asks for
  std::string refused;     // why no block of this size runs, where this resource is to blame
  [[nodiscard]] int left() const { return share.left(blocks); }
  [[nodiscard]] int missing() const { return share.per_block - left(); }
  // All of the warps are there: the end that one wants.
  [[nodiscard]] bool fulfilled() const {
    return resource.kind == OccupancyLimit::kThreads && left() == 0;
  }
  [[nodiscard]] Paint tone() const {
    if (fulfilled()) return ColourRole::kIdeal;
    return limits && !all_warps ? ColourRole::kExcess : ColourRole::kFirst;
  }
};

std::vector<std::string> verdicts(const Track& track) {
  if (track.fulfilled()) return {"all taken", "full"};
  if (!track.limits) return {};
  if (!track.refused.empty()) return {track.refused, "too much"};
  if (track.resource.kind == OccupancyLimit::kBlocks) return {"limit: all taken", "limit"};
  if (track.missing() <= 0)
    return {"limit: the free registers are split over the parts of the SM", "limit"};
  const std::string more = amount(track.resource, track.missing());
  return {fmt::format("limit: another block needs {} more", more),
          fmt::format("limit: needs {} more", more), fmt::format("{} short", more), "limit"};
}

std::string tooltip_of_rest(const Track& track) {
  const std::string left = amount(track.resource, track.left());
  const std::string_view unit = track.resource.unit;
  if (!track.refused.empty()) return "No block runs: " + track.refused + ".";
  if (track.share.per_block == 0) {
    return fmt::format("This kernel uses none of the SM's {}{}.", left, unit);
  }
  const int more = track.share.blocks - track.blocks;
  if (more > 0) {
    return fmt::format("{}{} are free: room for {}.", left, unit, counted(more, "more block"));
  }
  if (track.missing() > 0) {
    return fmt::format("{}{} are free: a block needs {}, {} more.", left, unit,
                       amount(track.resource, track.share.per_block),
                       amount(track.resource, track.missing()));
  }
  return fmt::format(
      "{}{} are free, but split over the parts of the SM; no part has enough for the next warps.",
      left, unit);
}

void draw_blocks(Pen& pen, const Rect& bar, const Track& track) {
  const float scale = bar.w / static_cast<float>(std::max(track.share.capacity, 1));
  const float width = static_cast<float>(track.share.per_block) * scale;
  const float gap = width >= 6 ? 1.5f : width >= 3 ? 0.75f : 0;
  const TextStyle style =
      pen.style(11, text_on(track.tone(), pen.theme), Weight::kSemibold, Align::kCenter);
  const float widest = std::max(pen.width("0", style),
                                pen.width(std::to_string(std::max(track.blocks - 1, 0)), style));
  const bool numbered = bar.h >= pen.px(13) && widest + pen.px(3) <= width - gap;
  for (int block = 0; block < track.blocks && width > 0; ++block) {
    const Rect box{bar.x + width * static_cast<float>(block), bar.y,
                   std::max(std::min(width - gap, bar.right() - bar.x), 0.5f), bar.h};
    Paint paint = track.tone();
    paint.opacity = block % 2 == 0 ? 0.95f : 0.72f;
    pen.canvas.fill_rect(box, paint, 2);
    if (numbered) pen.text(box.center().x, box.center().y, std::to_string(block), style);
    pen.hit(box, HitKind::kNone, 0,
            fmt::format(
                "Block {} uses {} of {}{}{}.", block, amount(track.resource, track.share.per_block),
                amount(track.resource, track.share.capacity), track.resource.unit, track.note));
  }
  const Rect rest{bar.x + width * static_cast<float>(track.blocks), bar.y,
                  bar.w - width * static_cast<float>(track.blocks), bar.h};
  if (rest.w < 1) return;
  pen.canvas.hatch_rect(rest, track.limits && !track.all_warps ? Paint(ColourRole::kExcess, 0.7f)
                                                               : Paint(ColourRole::kFaint, 0.7f));
  pen.hit(rest, HitKind::kNone, 0, tooltip_of_rest(track));
}

void draw_track(Pen& pen, const Rect& area, const Track& track) {
  const TextStyle title = pen.style(12, ColourRole::kStrong, Weight::kSemibold);
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  const float y = area.y + pen.px(8);
  const std::string used =
      fmt::format("{} of {}", amount(track.resource, track.share.capacity - track.left()),
                  amount(track.resource, track.share.capacity));
  const TextStyle figures = pen.style(12, ColourRole::kText, Weight::kRegular, Align::kRight);
  float right = area.right();
  if (pen.width(used, figures) + pen.width(track.resource.title, title) + pen.px(10) <= area.w) {
    pen.text(right, y, used, figures);
    right -= pen.width(used, figures) + pen.px(12);
  }
  pen.text(area.x, y, track.resource.title, title);
  float x = area.x + pen.width(track.resource.title, title) + pen.px(10);
  const Paint tone = track.tone();
  for (const std::string& words : verdicts(track)) {
    const TextStyle style = pen.style(11, tone, Weight::kSemibold);
    if (pen.width(words, style) > right - x) continue;
    pen.text(x, y, words, style);
    x += pen.width(words, style) + pen.px(10);
    break;
  }
  const std::string each = amount(track.resource, track.share.per_block) + " per block";
  if (track.resource.kind != OccupancyLimit::kBlocks) {
    pen.first_that_fits(x, y, {each + track.note, each}, dim, right - x);
  }
  const float top = area.y + pen.px(17);
  const float room = area.bottom() - top - pen.px(7);
  const Rect bar{area.x, top, area.w, std::clamp(room, pen.px(3), pen.px(32))};
  pen.canvas.fill_rect(bar, ColourRole::kRaised, 2);
  draw_blocks(pen, bar, track);
}

// "25 %" large, beside it what that is of.
void draw_head(Pen& pen, const Rect& area, const OccupancyPicture& picture) {
  const Occupancy& occupancy = *picture.occupancy;
  const std::string percent = picture.runs() ? format(occupancy.percent(), Unit::kPercent) : "0 %";
  const TextStyle big = pen.style(22, ColourRole::kStrong, Weight::kBold);
  pen.text(area.x, area.y + pen.px(16), percent, big);
  const float x = area.x + pen.width(percent, big) + pen.px(14);
  const float room = area.right() - x - pen.px(16);
  const int blocks = occupancy.blocks_per_multiprocessor;
  const std::string warps = fmt::format("{} of {} warps", occupancy.warps_per_multiprocessor,
                                        occupancy.max_warps_per_multiprocessor);
  const std::string held = counted(blocks, "block") + " per SM";
  const TextStyle strong = pen.style(13, ColourRole::kStrong, Weight::kMedium);
  const std::string both = warps + " · " + held;
  const std::string shown =
      pen.fitted(pen.width(both, strong) <= room ? both : warps, strong, room);
  pen.text(x, area.y + pen.px(9), shown, strong);
  const int shared = picture.request.static_shared_bytes + picture.request.dynamic_shared_bytes;
  const std::string threads = counted(picture.request.threads_per_block, "thread");
  const std::string registers = fmt::format("{} registers", picture.request.registers_per_thread);
  const std::string memory = format(shared, Unit::kBytes);
  const std::string from = picture.as_compiled ? "" : " of " + picture.architecture;
  pen.first_that_fits(
      x, area.y + pen.px(26),
      {fmt::format("per block: {} · {}{} each · {} shared", threads, registers, from, memory),
       fmt::format("{} · {}{} · {}", threads, registers, from, memory),
       fmt::format("{} · {}", threads, registers)},
      pen.style(11, ColourRole::kDim), room + pen.px(16));
  const TextStyle dim = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const std::string_view origin = picture.as_compiled ? "as compiled" : "modelled";
  const Point mark{area.right() - pen.px(4), area.y + pen.px(9)};
  pen.source_mark(mark, picture.source(), ColourRole::kDim);
  const float words = pen.width(origin, dim) + pen.px(14);
  const bool named = pen.width(shown, strong) + words + pen.px(16) <= area.right() - x;
  if (named) pen.text(mark.x - pen.px(9), mark.y, origin, dim);
  const float width = named ? words : pen.px(12);
  pen.hit({area.right() - width, mark.y - pen.px(8), width, pen.px(16)}, HitKind::kNone, 0,
          picture.as_compiled
              ? "From the compiled kernel and the device's limits, by NVIDIA's rules: exact."
              : fmt::format("Modelled: the compiler might give other registers for the {} than for "
                            "{}.",
                            picture.device_name, picture.architecture));
}

}  // namespace

void draw_sm_resources(Pen& pen, const Rect& area, const OccupancyPicture& picture) {
  if (!picture.occupancy) {
    pen.heading(area.x, area.y + pen.px(8), "THIS BLOCK CANNOT RUN", "", area.right());
    const TextStyle style = pen.style(13, ColourRole::kExcess, Weight::kMedium);
    if (!picture.against.empty()) {
      pen.text(area.x, area.y + pen.px(30), pen.fitted(picture.against, style, area.w), style);
      return;
    }
    pen.first_that_fits(
        area.x, area.y + pen.px(30),
        {fmt::format("{} threads per block; the {} allows {}.",
                     format_count(static_cast<std::uint64_t>(picture.request.threads_per_block)),
                     picture.device_name, picture.device->max_threads_per_block),
         fmt::format("more than {} threads", picture.device->max_threads_per_block)},
        style, area.w);
    return;
  }
  const Occupancy& occupancy = *picture.occupancy;
  draw_head(pen, area, picture);
  const float top = area.y + pen.px(kHead);
  const float height = std::min((area.bottom() - top) / kResources.size(), pen.px(66));
  for (std::size_t i = 0; i < kResources.size(); ++i) {
    Track track;
    track.resource = kResources[i];
    track.share = occupancy.share(track.resource.kind);
    track.blocks = occupancy.blocks_per_multiprocessor;
    track.limits = limits(occupancy, track.resource.kind);
    track.all_warps = occupancy.warps_per_multiprocessor == occupancy.max_warps_per_multiprocessor;
    if (track.limits && track.share.blocks == 0)
      track.refused = refusal(track.resource.kind, picture);
    if (track.resource.kind == OccupancyLimit::kSharedMemory) {
      track.note = shared_note(*picture.device);
    }
    if (track.resource.kind == OccupancyLimit::kRegisters) {
      track.note = registers_note(picture, track.share.per_block);
    }
    draw_track(pen, {area.x, top + height * static_cast<float>(i), area.w, height}, track);
  }
}

namespace {

constexpr std::array kLatencies{400, 500, 600, 700, 850, 1000};

std::string bytes(double value) { return format(std::round(value), Unit::kBytes); }

// "2 loads × 128 B", "24 loads, 3.00 KiB" where they differ.
std::string of_a_warp(const OutstandingLoads& loads) {
  const double each = loads.bytes / loads.loads;
  const std::string_view what = loads.asynchronous ? "copies" : "loads";
  if (loads.loads == 1) {
    return fmt::format("1 {} of {}", loads.asynchronous ? "copy" : "load", bytes(each));
  }
  if (each != std::floor(each))
    return fmt::format("{} {}, {}", loads.loads, what, bytes(loads.bytes));
  return fmt::format("{} {} × {}", loads.loads, what, bytes(each));
}

std::vector<std::string> verdict(const BytesInFlight& flight) {
  if (flight.share() >= 1) {
    return {times_words(flight.share()) + " the bytes needed to keep the memory busy.",
            times_words(flight.share()) + " the bytes needed",
            times_words(flight.share()) + " the bytes needed"};
  }
  const std::string part = percent_words(flight.share());
  const std::string rate = format(flight.reachable_bytes_per_second(), Unit::kBytesPerSecond);
  return {
      fmt::format("{} of the bytes needed to keep the memory busy: at most {} read and written.",
                  part, rate),
      fmt::format("{} of the bytes needed: at most {}", part, rate),
      fmt::format("{} of the bytes needed", part)};
}

void draw_bar(Pen& pen, const Rect& bar, const OccupancyPicture& picture) {
  const BytesInFlight& flight = picture.flight;
  const double most = std::max(flight.possible, flight.needed) * 1.06;
  const auto length = [&](double value) {
    return most > 0 ? bar.w * static_cast<float>(value / most) : 0.0f;
  };
  pen.canvas.fill_rect(bar, ColourRole::kRaised, 2);
  const Rect held{bar.x, bar.y, length(flight.possible), bar.h};
  pen.canvas.fill_rect(held, ColourRole::kFirst, 2);
  const float mark = bar.x + length(flight.needed);
  if (flight.possible < flight.needed) {
    pen.canvas.hatch_rect({held.right(), bar.y, mark - held.right(), bar.h},
                          Paint(ColourRole::kExcess, 0.8f));
  }
  pen.canvas.fill_rect({mark - pen.px(1), bar.y - pen.px(4), pen.px(2), bar.h + pen.px(8)},
                       ColourRole::kStrong);
  pen.hit(bar, HitKind::kNone, 0,
          fmt::format("{} per SM can be in flight; {} are needed to keep the memory busy. Assumes "
                      "that every load comes from device memory; cache hits need less.",
                      bytes(flight.possible), bytes(flight.needed)));
}

// The two sides of the comparison, each with its mark.
void draw_terms(Pen& pen, const Rect& area, const OccupancyPicture& picture) {
  const BytesInFlight& flight = picture.flight;
  const TextStyle style = pen.style(11, ColourRole::kText);
  const float x = area.x + pen.px(14);
  const float room = area.right() - x;
  const std::string possible = bytes(flight.possible);
  const std::string warp = of_a_warp(picture.loads);
  const std::string warps = counted(picture.loading_warps, "warp");
  const std::string_view how = picture.loads.as_issued ? "as issued" : "as written";
  pen.source_mark({area.x + pen.px(4), area.y}, Source::kEmulated, ColourRole::kDim);
  pen.first_that_fits(
      x, area.y,
      {fmt::format("{} can be in flight: {} per warp ({}), {}", possible, warp, how, warps),
       fmt::format("{}: {} per warp, {}", possible, warp, warps),
       fmt::format("{}: {}", possible, warps), possible},
      style, room);
  pen.hit({area.x, area.y - pen.px(8), area.w, pen.px(16)}, HitKind::kNone, 0,
          fmt::format("The most bytes that a warp loads {} before it uses the first of them, "
                      "around line {}; bytes that its lanes use.",
                      picture.loads.as_issued ? "in the machine code" : "in the PTX",
                      picture.loads.line));
  const float y = area.y + pen.px(17);
  const std::string needed = bytes(flight.needed);
  std::string rate = format(flight.bytes_per_second, Unit::kBytesPerSecond);
  if (flight.reads < 0.995) rate = fmt::format("{} read of {}", percent_words(flight.reads), rate);
  const std::string time = format(flight.latency_seconds, Unit::kSeconds);
  const std::string cycles =
      fmt::format("{} cycles", format_count(static_cast<std::uint64_t>(picture.latency.cycles)));
  pen.source_mark({area.x + pen.px(4), y}, Source::kModelled, ColourRole::kDim);
  pen.first_that_fits(x, y,
                      {fmt::format("{} needed: {} / {} SMs × {} ({})", needed, rate,
                                   picture.device->multiprocessors, cycles, time),
                       fmt::format("{} needed: {} / {} × {}", needed, rate,
                                   picture.device->multiprocessors, cycles),
                       fmt::format("{} needed", needed)},
                      style, room);
  pen.hit({area.x, y - pen.px(8), area.w, pen.px(16)}, HitKind::kNone, 0,
          fmt::format("Little's law: an SM's share of the bandwidth times the latency of device "
                      "memory, for reads only (no warp waits for its writes). Latency: {}.",
                      picture.latency.source));
}

// The latency is no constant of a device: several to choose from.
void draw_latencies(Pen& pen, const Rect& area, const OccupancyPicture& picture) {
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  const std::string_view label = "latency in cycles";
  float x = area.x;
  if (pen.width(label, dim) <= area.w * 0.5f) {
    pen.text(x, area.center().y, label, dim);
    x += pen.width(label, dim) + pen.px(8);
  }
  for (const int cycles : kLatencies) {
    const bool chosen = picture.latency.cycles == cycles;
    const TextStyle style =
        pen.style(11, chosen ? ColourRole::kStrong : ColourRole::kText,
                  chosen ? Weight::kSemibold : Weight::kRegular, Align::kCenter);
    const std::string words = format_count(static_cast<std::uint64_t>(cycles));
    const Rect chip{x, area.y, pen.width(words, style) + pen.px(14), area.h};
    if (chip.right() > area.right()) return;
    pen.canvas.fill_rect(chip, chosen ? ColourRole::kHover : ColourRole::kRaised, 4);
    if (chosen) pen.outline(chip, ColourRole::kSelection, 1, 4);
    pen.text(chip.center().x, chip.center().y, words, style);
    pen.canvas.hit(chip,
                   {.kind = HitKind::kSetting,
                    .value = cycles,
                    .name = "latency_cycles",
                    .tooltip = fmt::format("Assume {} cycles from a load to its data.", words)});
    x = chip.right() + pen.px(5);
  }
}

}  // namespace

void draw_bytes_in_flight(Pen& pen, const Rect& area, const OccupancyPicture& picture) {
  const Point mark{area.x + pen.px(4), area.y + pen.px(8)};
  pen.source_mark(mark, Source::kModelled, ColourRole::kDim);
  pen.hit({area.x, mark.y - pen.px(8), pen.px(12), pen.px(16)}, HitKind::kNone, 0,
          "Modelled: loads in flight are found in the machine code; latency and bandwidth are the "
          "device's.");
  pen.heading(area.x + pen.px(14), mark.y, "BYTES IN FLIGHT PER SM",
              "Little's law: latency × bandwidth bytes must be in flight", area.right());
  const TextStyle dim = pen.style(12, ColourRole::kDim);
  if (picture.loads.loads == 0 || !picture.runs()) {
    const std::string_view words = picture.loads.loads == 0
                                       ? "This kernel loads nothing from global memory."
                                       : "Nothing is in flight: no block runs.";
    pen.text(area.x, area.y + pen.px(30), pen.fitted(words, dim, area.w), dim);
    return;
  }
  const Rect bar{area.x, area.y + pen.px(22), area.w, pen.px(18)};
  draw_bar(pen, bar, picture);
  const bool enough = picture.flight.share() >= 1;
  float y = bar.bottom() + pen.px(15);
  pen.first_that_fits(
      area.x, y, verdict(picture.flight),
      pen.style(13, enough ? ColourRole::kIdeal : ColourRole::kExcess, Weight::kSemibold), area.w);
  y += pen.px(19);
  if (area.bottom() - y < pen.px(46)) return;
  draw_terms(pen, {area.x, y, area.w, pen.px(34)}, picture);
  y += pen.px(29);
  if (!pen.on_paper) draw_latencies(pen, {area.x, y, area.w, pen.px(18)}, picture);
}

namespace {

using DrawPicture = void (*)(Pen& pen, const Rect& area, const OccupancyPicture& picture);
template <DrawPicture kDraw>
void draw_occupancy_part(Canvas& canvas, const Rect& area, const ViewContext& context) {
  const auto picture = occupancy_picture(context);
  if (!picture) {
    draw_occupancy(canvas, area, context);  // says so
    return;
  }
  Pen pen(canvas, context);
  kDraw(pen, area, *picture);
}

}  // namespace

std::span<const ViewPart> occupancy_parts() {
  static constexpr std::array kParts{ViewPart{"resources",
                                              "what the blocks of an SM use",
                                              {230, 160},
                                              draw_occupancy_part<draw_sm_resources>},
                                     ViewPart{"curves",
                                              "warps per SM over registers and shared memory",
                                              {230, 120},
                                              draw_occupancy_part<draw_occupancy_curves>},
                                     ViewPart{"flight",
                                              "bytes in flight against those that are needed",
                                              {230, 70},
                                              draw_occupancy_part<draw_bytes_in_flight>}};
  return kParts;
}

}  // namespace tilescope
