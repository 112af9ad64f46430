#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/occupancy_limits.h"
#include "scene/occupancy/occupancy_scene.h"

namespace tilescope {
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
  return fmt::format(", {} of it the system's",
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
                 ? fmt::format("a thread may have {}", most)
                 : fmt::format(
                       "a block may take {}",
                       format_count(static_cast<std::uint64_t>(device.registers_per_block)));
    case OccupancyLimit::kSharedMemory:
      return "a block may take " + format(device.shared_bytes_per_block_optin, Unit::kBytes);
    default:
      return fmt::format("a block may have {} threads",
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
  if (track.missing() <= 0) return {"limit: what is left lies apart", "limit"};
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
    return fmt::format("{}{} are left: room for {}.", left, unit, counted(more, "more block"));
  }
  if (track.missing() > 0) {
    return fmt::format("{}{} are left: a block needs {}, that is {} more.", left, unit,
                       amount(track.resource, track.share.per_block),
                       amount(track.resource, track.missing()));
  }
  return fmt::format(
      "{}{} are left, but they lie in parts of the SM that are each too small for its next warps.",
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
    pen.hit(
        box, HitKind::kNone, 0,
        fmt::format("Block {} holds {} of {}{}{}.", block,
                    amount(track.resource, track.share.per_block),
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
  const std::string each = amount(track.resource, track.share.per_block) + " a block";
  if (track.resource.kind != OccupancyLimit::kBlocks) {
    pen.first_that_fits(x, y, {each + track.note, each}, dim, right - x);
  }
  const float top = area.y + pen.px(17);
  const Rect bar{area.x, top, area.w, std::min(area.bottom() - top - pen.px(7), pen.px(32))};
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
      {fmt::format("a block: {} · {}{} each · {} shared", threads, registers, from, memory),
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
              ? "From the compiled kernel and the device's limits, by NVIDIA's own rules: exact."
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
        {fmt::format("{} threads a block; the {} allows {}.",
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

}  // namespace tilescope
