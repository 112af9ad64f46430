#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/quantity.h"
#include "scene/coalescing/coalescing_scene.h"

namespace tilescope {
namespace {

std::string against_ideal(const SectorCost& cost) {
  if (cost.sectors <= cost.ideal_sectors) return "as few as possible";
  const double ratio = static_cast<double>(cost.sectors) / std::max(cost.ideal_sectors, 1);
  return times_words(ratio) + " the ideal";
}

}  // namespace

int ideal_sectors_drawn(const GlobalRequest& request) {
  return std::max(request.cost.ideal_sectors, 1);
}

void draw_ideal_sectors(Pen& pen, const Rect& area, const GlobalRequest& request) {
  const int sectors = ideal_sectors_drawn(request);
  const float gap = 2;
  const float sector_width = (area.w + gap) / static_cast<float>(sectors);
  for (int i = 0; i < sectors; ++i) {
    const Rect box{area.x + sector_width * static_cast<float>(i), area.y, sector_width - gap,
                   area.h};
    pen.canvas.fill_rect(box, Paint(ColourRole::kIdeal, 0.25f), 2);
  }
  std::vector<std::uint64_t> placed;
  const float byte = (sector_width - gap) / static_cast<float>(kSectorBytes);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    const std::uint64_t address = request.access.address[static_cast<std::size_t>(lane)];
    if (std::find(placed.begin(), placed.end(), address) != placed.end()) continue;
    const std::uint64_t offset = placed.size() * request.access.bytes_per_lane;
    placed.push_back(address);
    Rect box{area.x + sector_width * static_cast<float>(offset / kSectorBytes) +
                 byte * static_cast<float>(offset % kSectorBytes),
             area.y, byte * static_cast<float>(request.access.bytes_per_lane), area.h};
    box.w = std::max(box.w - (box.w > 6 ? 1.0f : 0.0f), 1.0f);
    pen.canvas.fill_rect(box, Paint::lane(lane), box.w > 6 ? 1.5f : 0);
  }
  pen.outline(
      {area.x - 1, area.y - 1, sector_width * static_cast<float>(sectors) - gap + 2, area.h + 2},
      ColourRole::kIdeal, 1.5f, 2);
  pen.hit(area, HitKind::kNone, 0,
          fmt::format("The {} B that the lanes want would fill {} if they lay side by side.",
                      request.cost.useful_bytes, counted(sectors, "sector")));
}

void write_sector_ratio(Pen& pen, const Rect& area, const GlobalRequest& request) {
  const SectorCost& cost = request.cost;
  const Paint tone = cost.sectors > cost.ideal_sectors ? ColourRole::kExcess : ColourRole::kIdeal;
  const TextStyle strong = pen.style(12, tone, Weight::kSemibold);
  const TextStyle dim = pen.style(12, ColourRole::kDim);
  const std::string words = against_ideal(cost);
  const float x = area.x + pen.width(words, strong) + pen.px(12);
  pen.text(area.x, area.center().y, words, strong);
  std::vector<std::string> about;
  if (cost.sectors > cost.ideal_sectors) {
    about = {fmt::format("{} for the request where {} would do", cost.sectors,
                         counted(cost.ideal_sectors, "sector")),
             fmt::format("{} for {}", cost.sectors, cost.ideal_sectors)};
  } else {
    about = {counted(cost.sectors, "sector") + " for the request"};
  }
  pen.first_that_fits(x, area.center().y, about, dim, area.right() - x);
}

void draw_sector_ratio(Pen& pen, const Rect& area, const GlobalRequest& request) {
  const SectorCost& cost = request.cost;
  const bool excess = cost.sectors > cost.ideal_sectors;
  const Paint tone = excess ? ColourRole::kExcess : ColourRole::kIdeal;
  const TextStyle big = pen.style(15, tone, Weight::kSemibold, Align::kRight);
  const std::string words = against_ideal(cost);
  pen.text(area.right(), area.y + pen.px(8), words, big);
  pen.text_if_fits(area.x, area.y + pen.px(8), "sectors per request",
                   pen.style(12, ColourRole::kDim), area.w - pen.width(words, big) - pen.px(12));
  const Rect bar{area.x, area.y + pen.px(22), area.w, pen.px(10)};
  const float share = cost.sectors == 0 ? 1
                                        : static_cast<float>(cost.ideal_sectors) /
                                              static_cast<float>(std::max(cost.sectors, 1));
  pen.canvas.fill_rect(bar, tone, 2);
  pen.canvas.fill_rect({bar.x, bar.y, bar.w * std::min(share, 1.0f), bar.h}, ColourRole::kIdeal, 2);
  const float y = bar.bottom() + pen.px(12);
  pen.text(bar.x, y, fmt::format("{} ideal", cost.ideal_sectors),
           pen.style(12, ColourRole::kIdeal, Weight::kSemibold));
  pen.text(bar.right(), y, fmt::format("{} actual", cost.sectors),
           pen.style(12, tone, Weight::kSemibold, Align::kRight));
  pen.hit(area, HitKind::kNone, 0,
          fmt::format("The request moves {} of 32 B, {} B; {} B of them are wanted.",
                      counted(cost.sectors, "sector"), cost.sectors * 32, cost.useful_bytes));
}

}  // namespace tilescope
