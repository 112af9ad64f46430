#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "scene/drawing/empty_view.h"
#include "scene/drawing/segments.h"
#include "scene/prepared.h"
#include "scene/tiling/matrix_picture.h"
#include "scene/tiling/tiling_scene.h"

namespace tilescope {
namespace {

// Lengths on screen for extents that may differ by orders of magnitude: proportional as far as the
// shortest keeps a quarter of the longest.
std::array<float, 3> lengths(std::array<std::uint64_t, 3> extents) {
  const auto longest = static_cast<float>(*std::max_element(extents.begin(), extents.end()));
  std::array<float, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    result[i] = std::max(static_cast<float>(extents[i]) / std::max(longest, 1.0f), 0.25f);
  }
  return result;
}

// A left, B on top, C in the corner between them.
std::vector<MatrixSlot> gemm_slots(const Pen& pen, const TilingModel& model, const Rect& area) {
  std::array<std::size_t, 3> index{};
  const std::array<Role, 3> roles = {Role::kA, Role::kB, Role::kC};
  for (std::size_t i = 0; i < 3; ++i) {
    const TiledMatrix* matrix = model.find(roles[i]);
    if (matrix == nullptr) return {};
    index[i] = static_cast<std::size_t>(matrix - model.matrices.data());
  }
  const MatrixView& a = model.matrices[index[0]].view;
  const MatrixView& c = model.matrices[index[2]].view;
  const auto [m, n, k] = lengths({c.rows, c.cols, a.cols});
  const float gap = pen.px(26);
  const float label = pen.px(22);
  const float below_b = pen.px(12);  // A's name stands beside it
  const float scale = std::min((area.w - gap) / (k + n), (area.h - below_b - 2 * label) / (k + m));
  const float x = area.x + k * scale + gap;
  const float y = area.y + label + k * scale + below_b;
  return {{index[0], {area.x, y, k * scale, m * scale}},
          {index[1], {x, area.y + label, n * scale, k * scale}},
          {index[2], {x, y, n * scale, m * scale}}};
}

// Below each other in the kernel's order, at most four; beside each other in a wide panel.
std::vector<MatrixSlot> plain_slots(const Pen& pen, const TilingModel& model, const Rect& area) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < model.matrices.size() && used.size() < 4; ++i) {
    const TiledMatrix& matrix = model.matrices[i];
    if (!matrix.read.empty() || !matrix.written.empty()) used.push_back(i);
  }
  if (used.empty()) used.push_back(0);
  const std::size_t columns =
      used.size() > 2 || area.w > area.h ? std::min<std::size_t>(used.size(), 2) : 1;
  const std::size_t rows = (used.size() + columns - 1) / columns;
  const float gap = pen.px(20);
  const float label = pen.px(22);
  const float w = (area.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float h = area.h / static_cast<float>(rows) - label - pen.px(4);
  float longest = 1;
  for (const std::size_t i : used) {
    const MatrixView& view = model.matrices[i].view;
    longest = std::max({longest, static_cast<float>(view.rows), static_cast<float>(view.cols)});
  }
  const float side = std::min(w, h);
  std::vector<MatrixSlot> slots;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const MatrixView& view = model.matrices[used[i]].view;
    const float least = view.folded ? 0.4f : 0.2f;  // a folded buffer's rows are ours anyway
    const float mw = side * std::max(static_cast<float>(view.cols) / longest, least);
    const float mh = side * std::max(static_cast<float>(view.rows) / longest, least);
    const float x = area.x + static_cast<float>(i % columns) * (w + gap);
    const float y = area.y + static_cast<float>(i / columns) * (h + label + pen.px(4)) + label;
    slots.push_back({used[i], {x, y, mw, mh}});
  }
  return slots;
}

// The whole view under a magnifier: what lies at the camera's center comes to the view's middle.
Rect seen_by_camera(const Rect& box, const Rect& view, const MatrixCamera& camera) {
  if (camera.zoom <= 1) return box;
  const float z = camera.zoom;
  return {view.center().x + (box.x - view.x - camera.center_x * view.w) * z,
          view.center().y + (box.y - view.y - camera.center_y * view.h) * z, box.w * z, box.h * z};
}

// "each element of A is read 16 ×, of B 16 ×" and a shorter way to say it.
std::vector<std::string> panel_words(const TilingModel& model) {
  std::vector<std::string> words;
  for (const TiledMatrix& matrix : model.matrices) {
    if (matrix.grid_reads_per_element < 0.005) continue;
    const std::string times = times_words(matrix.grid_reads_per_element);
    const std::string& name = matrix.view.name;
    if (words.empty()) {
      words = {fmt::format("each element of {} is read {}", name, times),
               fmt::format("{} is read {}", name, times)};
    } else {
      words[0] += fmt::format(", of {} {}", name, times);
      words[1] += fmt::format(", {} {}", name, times);
    }
  }
  return words;
}

// "colour  matrix | reads", and what the colours of the reads mean.
void draw_heat_switch(Pen& pen, const Rect& panel, const ViewContext& context,
                      const TilingModel& model) {
  const bool heat = context.settings.heat;
  const std::array<Segment, 2> segments{
      Segment{"matrix",
              !heat,
              {.kind = HitKind::kSetting,
               .value = 0,
               .name = "heat",
               .tooltip = "Each matrix in a colour of its own."}},
      Segment{"reads",
              heat,
              {.kind = HitKind::kSetting,
               .value = 1,
               .name = "heat",
               .tooltip = "Colours each element by how often this block's lanes read it from "
                          "global memory."}}};
  const float y = panel.bottom() - pen.px(10);
  const TextStyle style = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  float right = draw_segments(pen, panel.right(), y, segments);
  if (!pen.on_paper) {
    right -= pen.px(8);
    const std::string_view about = "colour by";
    if (right - pen.width(about, style) > panel.x) pen.text(right, y, about, style);
    right -= pen.width(about, style) + pen.px(20);
  }
  if (!heat) return;
  const std::string most = model.most_reads == 1 ? "each read once by this block"
                                                 : fmt::format("1 to {} reads", model.most_reads);
  const int swatches = model.most_reads == 1 ? 1 : 16;
  const float first =
      right - pen.width(most, style) - pen.px(8) - pen.px(4) * static_cast<float>(swatches);
  if (first < panel.x) return;
  for (int i = 0; i < swatches; ++i) {
    const auto shade =
        static_cast<std::uint8_t>(model.most_reads == 1 ? kSingleReadHeat : 1 + i * 254 / 15);
    pen.canvas.fill_rect(
        {first + pen.px(4) * static_cast<float>(i), y - pen.px(4), pen.px(4), pen.px(8)},
        cell_paint(shade));
  }
  pen.text(right, y, most, style);
}

Rect clamped(const Rect& box, const Rect& area) {
  const float x = std::clamp(box.x, area.x, area.right());
  const float y = std::clamp(box.y, area.y, area.bottom());
  return {x, y, std::clamp(box.right(), area.x, area.right()) - x,
          std::clamp(box.bottom(), area.y, area.bottom()) - y};
}

}  // namespace

GridPicture draw_grid_panel(Pen& pen, const GridPanel& panel, const ViewContext& context,
                            const TilingMoment& moment) {
  const Rect& area = panel.shown;
  const Rect& home = panel.home;
  const TilingModel& model = *moment.model;
  const float words =
      pen.heading(area.x, area.y + pen.px(8), "GRID", "", area.right()) + pen.px(12);
  pen.first_that_fits(words, area.y + pen.px(8), panel_words(model),
                      pen.style(11, ColourRole::kDim), area.right() - words);
  const auto inside_of = [&](const Rect& whole) {
    return Rect{whole.x, whole.y + pen.px(24), whole.w, whole.h - pen.px(48)};
  };
  const Rect inside = inside_of(home);
  const Rect clip = inside_of(area);
  const bool gemm = model.problem == Problem::kGemm;
  std::vector<MatrixSlot> slots;
  if (gemm) slots = gemm_slots(pen, model, inside);
  if (slots.empty()) slots = plain_slots(pen, model, inside);

  const bool zoomed = context.camera.zoom > 1;
  if (zoomed) pen.canvas.push_clip(clip);
  Rect tile;
  std::vector<Rect> boxes;
  for (const MatrixSlot& slot : slots) {
    boxes.push_back(seen_by_camera(slot.box, panel.view, context.camera));
    const MatrixPicture picture{boxes.back(), clip, slot.matrix};
    draw_matrix(pen, picture, context, moment);
    // The next panel begins with what this one ends in: the output's tile, or the first buffer's
    // part.
    const TiledMatrix& matrix = model.matrices[slot.matrix];
    const bool output = model.output && *model.output == slot.matrix;
    if (gemm && output) tile = place_box(picture, matrix, matrix.written);
    if (!gemm && tile.w == 0) {
      tile = place_box(picture, matrix, matrix.written.empty() ? matrix.read : matrix.written);
    }
  }
  draw_matrix_guides(pen, model, slots, boxes, clip);
  const auto seen = [&](const Rect& box) {
    return box.x < clip.right() && box.right() > clip.x && box.y < clip.bottom() &&
           box.bottom() > clip.y;
  };
  if (zoomed && std::ranges::none_of(boxes, seen)) {
    draw_empty(pen, clip, "No matrix lies here",
               "Home shows them all again; drag or Alt with an arrow key goes on.");
  }
  if (zoomed) pen.canvas.pop_clip();
  if (model.most_reads > 0) draw_heat_switch(pen, area, context, model);
  GridPicture picture{clamped(tile, clip), {}};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    picture.boxes.emplace_back(slots[i].matrix, boxes[i]);
  }
  return picture;
}

}  // namespace tilescope
