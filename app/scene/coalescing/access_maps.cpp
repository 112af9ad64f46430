#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/coalescing/coalescing_scene.h"
#include "scene/hovered_line.h"
#include "scene/prepared.h"
#include "scene/tiling/matrix_view.h"
#include "scene/tiling/tiling_model.h"
#include "scene/view.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostEventsLookedAt = 4096;  // per map; a warp's accesses repeat long before

struct WarpElements {
  const MatrixView* matrix = nullptr;
  std::uint32_t event = 0;
  WarpAccess access;
  ElementBox box;
  std::uint64_t wide = 1;  // elements of one lane
};

std::optional<WarpElements> elements_of(const KernelStudy& study, const MatrixView& matrix,
                                        std::uint32_t event) {
  WarpElements found{&matrix, event, study.trace->access(study.trace->events[event].access), {}, 1};
  found.wide = std::max<std::uint64_t>(1, found.access.bytes_per_lane / size_of(matrix.type));
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((found.access.active >> lane & 1U) == 0) continue;
    const auto place = matrix.place(found.access.address[lane]);
    if (!place) return std::nullopt;
    found.box.add(place->row, place->col, found.wide);
  }
  if (found.box.empty()) return std::nullopt;
  return found;
}

// The warp's access to this matrix that lies nearest in time.
std::optional<WarpElements> nearest_access(const KernelStudy& study, const MatrixView& matrix,
                                           const std::vector<std::uint32_t>& events,
                                           std::uint32_t now) {
  const auto here = std::upper_bound(events.begin(), events.end(), now);
  std::size_t looked = 0;
  for (auto it = here; it != events.begin() && looked < kMostEventsLookedAt; ++looked) {
    if (auto found = elements_of(study, matrix, *--it)) return found;
  }
  looked = 0;
  for (auto it = here; it != events.end() && looked < kMostEventsLookedAt; ++it, ++looked) {
    if (auto found = elements_of(study, matrix, *it)) return found;
  }
  return std::nullopt;
}

// A box is named by its extents only where the warp wants all that lies in it.
std::string shape_words(const WarpElements& elements) {
  const ElementBox& box = elements.box;
  if (box.count() == 1) return "one element";
  const AccessShape shape = shape_of(elements.access);
  const std::uint64_t wanted = static_cast<std::uint64_t>(shape.distinct) * elements.wide;
  if (wanted >= box.count()) {
    if (box.rows == 1) return fmt::format("{} of a row", box.cols);
    if (box.cols == 1) return fmt::format("{} of a column", box.rows);
    return fmt::format("{} × {}", box.rows, box.cols);
  }
  if (shape.pattern == LanePattern::kRuns && shape.run_length > 0) {
    return fmt::format("{} runs of {}", shape.runs,
                       static_cast<std::uint64_t>(shape.run_length) * elements.wide);
  }
  if (shape.pattern != LanePattern::kApart && shape.pattern != LanePattern::kStrided) {
    return "scattered";
  }
  return elements.wide > 1 ? fmt::format("{} runs of {}", shape.distinct, elements.wide)
                           : fmt::format("{} elements", shape.distinct);
}

// The part of the matrix that is shown: the warp's elements with some of what surrounds them.
CellWindow window_around(const ElementBox& box, const MatrixView& matrix) {
  const auto span = static_cast<float>(std::max(box.rows, box.cols));
  const float side = std::max(span * 1.35f, 24.0f);
  const auto fit = [side](std::uint64_t first, std::uint64_t count, std::uint64_t all) {
    const auto whole = static_cast<float>(all);
    const float size = std::min(side, whole);
    const float center = static_cast<float>(first) + static_cast<float>(count) / 2;
    return std::pair{std::clamp(center - size / 2, 0.0f, whole - size), size};
  };
  const auto [row, rows] = fit(box.row, box.rows, matrix.rows);
  const auto [col, cols] = fit(box.col, box.cols, matrix.cols);
  return {std::floor(row), std::floor(col), rows, cols};
}

void draw_map(Pen& pen, const Rect& map, const WarpElements& elements, bool current, bool lit) {
  const MatrixView& matrix = *elements.matrix;
  const CellWindow window = window_around(elements.box, matrix);
  pen.canvas.fill_rect(map, Paint(matrix.colour, 0.12f), 1);
  const float cell_w = map.w / window.cols;
  const float cell_h = map.h / window.rows;
  for (int lane = kWarpSize - 1; lane >= 0; --lane) {
    if ((elements.access.active >> lane & 1U) == 0) continue;
    const auto place = matrix.place(elements.access.address[static_cast<std::size_t>(lane)]);
    if (!place) continue;
    const float x = map.x + (static_cast<float>(place->col) - window.first_col) * cell_w;
    const float y = map.y + (static_cast<float>(place->row) - window.first_row) * cell_h;
    const float w = std::max(cell_w * static_cast<float>(elements.wide), 2.0f);
    const float h = std::max(cell_h, 3.0f);
    pen.canvas.fill_rect(
        {std::min(x, map.right() - w), std::clamp(y, map.y + 3, map.bottom() - 3 - h), w, h},
        Paint::lane(lane));
  }
  pen.outline(map, Paint(matrix.colour, current ? 1.0f : 0.6f), current ? 2.0f : 1.0f, 1);
  if (lit) pen.outline(map.inset(-2), ColourRole::kSelection, 1.5f, 2);
  Hit hit{.kind = HitKind::kArgument,
          .value = static_cast<std::int64_t>(matrix.argument),
          .name = matrix.name};
  hit.tooltip = fmt::format(
      "{}: the warp's elements lie in rows {} to {}, columns {} to {} of {} × {}; {} × {} shown.",
      matrix.name, elements.box.row, elements.box.row + elements.box.rows - 1, elements.box.col,
      elements.box.col + elements.box.cols - 1, format_count(matrix.rows),
      format_count(matrix.cols), static_cast<int>(window.rows), static_cast<int>(window.cols));
  pen.canvas.hit(map, hit);
}

}  // namespace

void draw_access_maps(Pen& pen, const Rect& area, const ViewContext& context,
                      const GlobalRequest& request) {
  const KernelStudy& study = *context.study;
  const auto prepared = prepared_of(context);
  pen.heading(area.x, area.y + pen.px(4), "IN THE MATRIX",
              "the warp's elements and what lies around them", area.right());
  std::vector<WarpElements> maps;
  for (const TiledMatrix& tiled : prepared->tiling->matrices) {
    if (maps.size() == 3) break;
    auto found =
        nearest_access(study, tiled.view, prepared->warps[request.warp].global, request.event);
    if (found) maps.push_back(*found);
  }
  if (maps.empty()) return;
  const auto count = static_cast<float>(maps.size());
  const float gap = pen.px(16);
  const float top = area.y + pen.px(18);
  const float label = pen.px(36);
  const float side =
      std::min({(area.w - gap * (count - 1)) / count, area.bottom() - top - label, pen.px(150)});
  // A small picture keeps room for the words below it.
  const float pitch = std::min((area.w + gap) / count, std::max(side, pen.px(84)) + gap);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const Rect map{area.x + pitch * static_cast<float>(i), top, side, side};
    const bool current = maps[i].event == request.event;
    draw_map(pen, map, maps[i], current, is_lit_event(context, maps[i].event));
    const float y = map.bottom() + pen.px(11);
    const TextStyle name = pen.style(12, maps[i].matrix->colour, Weight::kSemibold);
    pen.text(map.x, y, pen.fitted(maps[i].matrix->name, name, pitch - gap), name);
    const TextStyle words = pen.style(11, ColourRole::kDim);
    pen.text(map.x, y + pen.px(15), pen.fitted(shape_words(maps[i]), words, pitch - gap / 2),
             words);
  }
}

}  // namespace tilescope
