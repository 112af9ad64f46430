#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/divergence/divergence_scene.h"

namespace tilescope {
namespace {

constexpr float kRow = 17;  // px at scale 1
constexpr float kHead = 20;
constexpr float kLeast = 150;  // width of a warp's cell
constexpr int kLevels = 8;

struct Grid {
  std::size_t columns = 1;
  std::size_t rows = 1;
};

// Down, then to the right; as many columns as there is width for, as few as the warps need.
Grid grid_of(const Pen& pen, const Rect& area, std::size_t warps) {
  const auto most = std::max<std::size_t>(static_cast<std::size_t>(area.w / pen.px(kLeast)), 1);
  Grid grid;
  grid.columns = std::clamp<std::size_t>((warps + 3) / 4, 1, most);
  grid.rows = (warps + grid.columns - 1) / grid.columns;
  return grid;
}

// The warp's whole time, darker where more of its lanes do nothing; as long as its share of the
// longest warp's instructions.
void draw_strip(Pen& pen, const Rect& box, const std::vector<LaneColumn>& columns,
                std::size_t longest) {
  if (columns.empty()) return;
  const float per_instruction = box.w / static_cast<float>(longest);
  const auto x_of = [&](std::uint32_t index) {
    return box.x + static_cast<float>(index) * per_instruction;
  };
  pen.canvas.fill_rect({box.x, box.y, x_of(columns.back().end) - box.x, box.h},
                       Paint(ColourRole::kDim, 0.45f), 1);
  const auto level_of = [](const LaneColumn& column) {
    return static_cast<int>(std::ceil(column.slots.lost_share() * kLevels - 0.01));
  };
  for (std::size_t first = 0; first < columns.size();) {
    const int level = level_of(columns[first]);
    std::size_t last = first + 1;
    while (last < columns.size() && level_of(columns[last]) == level) ++last;
    if (level > 0) {
      const float x = x_of(columns[first].begin);
      pen.canvas.fill_rect({x, box.y, x_of(columns[last - 1].end) - x, box.h},
                           Paint(ColourRole::kExcess, static_cast<float>(level) / kLevels));
    }
    first = last;
  }
}

}  // namespace

float warp_strips_height(const Pen& pen, const Rect& area, std::size_t warps) {
  return pen.px(kHead + kRow * static_cast<float>(grid_of(pen, area, warps).rows));
}

void draw_warp_strips(Pen& pen, const Rect& area, const ViewContext& context,
                      const WarpInSight& sight) {
  const LaneModel& model = *context.prepared->lanes;
  const std::vector<WarpLanes>& warps = model.block.warps;
  Grid grid = grid_of(pen, area, warps.size());
  const auto fitting = static_cast<std::size_t>((area.h - pen.px(kHead) + 1) / pen.px(kRow));
  if (fitting == 0) return;
  const std::size_t shown_rows = std::min(grid.rows, fitting);
  // Where not all fit, those around the selected one.
  const std::size_t shown = std::min(shown_rows * grid.columns, warps.size());
  const std::size_t first = std::min<std::size_t>(
      sight.warp - std::min<std::size_t>(sight.warp, shown / 2), warps.size() - shown);
  const std::string which =
      shown == warps.size() ? fmt::format("{} of {} diverge; orange where lanes do nothing{}",
                                          model.block.diverging_warps(), warps.size(),
                                          pen.hint("; click to look at one"))
                            : fmt::format("{} to {} of {}; {} diverge", first, first + shown - 1,
                                          warps.size(), model.block.diverging_warps());
  pen.heading(area.x, area.y + pen.px(6), "WARPS OF THE BLOCK", which, area.right());
  std::size_t longest = 1;
  for (const WarpLanes& warp : warps) longest = std::max(longest, warp.events.size());
  const float gap = pen.px(14);
  const float width =
      (area.w - gap * static_cast<float>(grid.columns - 1)) / static_cast<float>(grid.columns);
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  const TextStyle strong = pen.style(11, ColourRole::kStrong, Weight::kSemibold);
  const float label = pen.width(fmt::format("warp {}", warps.size() - 1), strong) + pen.px(8);
  const float figure =
      pen.width("< 0.1 %", pen.style(11, ColourRole::kText, Weight::kMedium)) + pen.px(6);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t w = first + i;
    const WarpLanes& warp = warps[w];
    const Rect cell{area.x + (width + gap) * static_cast<float>(i / shown_rows),
                    area.y + pen.px(kHead) + pen.px(kRow) * static_cast<float>(i % shown_rows),
                    width, pen.px(kRow)};
    const bool selected = w == sight.warp;
    const float y = cell.center().y;
    pen.text(cell.x, y, fmt::format("warp {}", w), selected ? strong : dim);
    const Rect strip{cell.x + label, y - pen.px(4), cell.w - label - figure, pen.px(8)};
    draw_strip(pen, strip, model.columns[w], longest);
    if (selected) pen.outline(strip.inset(-2), ColourRole::kSelection, 1, 2);
    const double lost = warp.slots.lost_share();
    pen.text(cell.right(), y, share_text(lost),
             pen.style(11, lost > 0 ? ColourRole::kText : ColourRole::kDim, Weight::kMedium,
                       Align::kRight));
    const std::string parts = warp.divergences.empty()
                                  ? std::string("its lanes stay together")
                                  : "its lanes part " + counted(warp.divergences.size(), "time");
    pen.hit(cell, HitKind::kWarp, static_cast<std::int64_t>(w),
            fmt::format("Warp {}: {} instructions, {}; {} of its lane slots are lost.", w,
                        format_count(warp.slots.instructions), parts, share_text(lost)));
  }
}

}  // namespace tilescope
