#include "scene/view/launch_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/quantity.h"
#include "emulator/warp_access.h"
#include "scene/drawing/palette.h"

namespace tilescope {
namespace {

std::string extents(const Dim3& size) {
  std::string words = format_count(size.x);
  if (size.y > 1 || size.z > 1) words += " × " + format_count(size.y);
  if (size.z > 1) words += " × " + format_count(size.z);
  return words;
}

std::uint64_t warps_of(const Dim3& block) { return (block.count() + kWarpSize - 1) / kWarpSize; }

constexpr float kMostSide = 300;  // units
constexpr float kLeastCell = 3;   // px, of cells that are told apart

// A picture of w × h cells in a square of this side, with cells that are no larger than `most`.
Rect fit(float x, float y, float side, float columns, float rows, float most) {
  const float cell = std::min(side / std::max(columns, rows), most);
  return {x, y, std::max(cell * columns, 6.0f), std::max(cell * rows, 6.0f)};
}

// Returns the place of the block that is traced.
Rect draw_grid(Pen& pen, const Rect& box, const LaunchShape& launch) {
  const auto columns = static_cast<float>(launch.grid.x);
  const auto rows = static_cast<float>(launch.grid.y);
  pen.canvas.fill_rect(box, Paint(ColourRole::kFirst, 0.12f), 0);
  const Paint line(ColourRole::kFirst, 0.35f);
  if (box.w / columns >= kLeastCell && box.h / rows >= kLeastCell) {
    for (float i = 1; i < columns; ++i) {
      const float x = box.x + box.w * i / columns;
      pen.canvas.line({x, box.y}, {x, box.bottom()}, line, 1);
    }
    for (float i = 1; i < rows; ++i) {
      const float y = box.y + box.h * i / rows;
      pen.canvas.line({box.x, y}, {box.right(), y}, line, 1);
    }
  }
  pen.outline(box, Paint(ColourRole::kFirst, 0.85f));
  const Dim3 at = unflatten(launch.traced_block, launch.grid);
  const float w = std::max(box.w / columns, kLeastCell);
  const float h = std::max(box.h / rows, kLeastCell);
  const Rect block{std::min(box.x + box.w * static_cast<float>(at.x) / columns, box.right() - w),
                   std::min(box.y + box.h * static_cast<float>(at.y) / rows, box.bottom() - h), w,
                   h};
  pen.canvas.fill_rect(block, ColourRole::kSelection, 0);
  return block;
}

void draw_threads(Pen& pen, const Rect& box, const Dim3& block) {
  const std::uint64_t rows = std::uint64_t{block.y} * block.z;
  const float w = box.w / static_cast<float>(block.x);
  const float h = box.h / static_cast<float>(rows);
  const float gap = std::min(w, h) > 6 ? 1.0f : 0.0f;
  for (std::uint64_t thread = 0; thread < block.count(); ++thread) {
    const Rect cell{box.x + w * static_cast<float>(thread % block.x),
                    box.y + h * static_cast<float>(thread / block.x), w - gap, h - gap};
    pen.canvas.fill_rect(cell, Paint::lane(static_cast<int>(thread % kWarpSize)), 0);
  }
  pen.outline(box, ColourRole::kLine);
}

}  // namespace

std::string words_of(const LaunchShape& launch) {
  const std::uint64_t warps = warps_of(launch.block);
  return fmt::format("{} {} of {} {} ({} {})", extents(launch.grid),
                     launch.grid.count() == 1 ? "block" : "blocks", extents(launch.block),
                     launch.block.count() == 1 ? "thread" : "threads", warps,
                     warps == 1 ? "warp" : "warps");
}

void draw_launch(Canvas& canvas, const Rect& area, const LaunchShape& launch,
                 const DrawingStyle& look) {
  Pen pen(canvas, look);
  const float gap = pen.px(90);
  const float top = area.y + pen.px(24);
  const float side = std::min({(area.w - gap) / 2, area.bottom() - top, pen.px(kMostSide)});
  if (side < pen.px(60)) return;
  pen.heading(area.x, area.y + pen.px(6), "GRID", counted(launch.grid.count(), "block"),
              area.x + side + gap / 2);
  const Rect grid = fit(area.x, top, side, static_cast<float>(launch.grid.x),
                        static_cast<float>(launch.grid.y), pen.px(28));
  const Rect traced = draw_grid(pen, grid, launch);
  const float x = area.x + side + gap;
  const auto rows = static_cast<float>(std::uint64_t{launch.block.y} * launch.block.z);
  const Rect block = fit(x, top, side, static_cast<float>(launch.block.x), rows, pen.px(28));
  pen.heading(x, area.y + pen.px(6), "BLOCK",
              fmt::format("{}, {} of 32 lanes", counted(launch.block.count(), "thread"),
                          counted(warps_of(launch.block), "warp")),
              area.right());
  pen.canvas.line({traced.right(), traced.y}, {block.x, block.y}, ColourRole::kFaint, 1);
  pen.canvas.line({traced.right(), traced.bottom()}, {block.x, block.bottom()}, ColourRole::kFaint,
                  1);
  draw_threads(pen, block, launch.block);
}

}  // namespace tilescope
