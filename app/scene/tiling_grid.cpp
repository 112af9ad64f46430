#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "scene/matrix_picture.h"
#include "scene/prepared.h"
#include "scene/tiling_scene.h"

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
  const float scale =
      std::min((area.w - gap) / (k + n), (area.h - gap - label) / (k + m));
  const float x = area.x + k * scale + gap;
  const float y = area.y + label + k * scale + gap;
  return {{index[0], {area.x, y, k * scale, m * scale}},
          {index[1], {x, area.y + label, n * scale, k * scale}},
          {index[2], {x, y, n * scale, m * scale}}};
}

// Side by side in the kernel's order, at most four in two rows.
std::vector<MatrixSlot> plain_slots(const Pen& pen, const TilingModel& model, const Rect& area) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < model.matrices.size() && used.size() < 4; ++i) {
    const TiledMatrix& matrix = model.matrices[i];
    if (!matrix.read.empty() || !matrix.written.empty()) used.push_back(i);
  }
  if (used.empty()) used.push_back(0);
  const std::size_t columns = used.size() == 1 ? 1 : 2;
  const std::size_t rows = (used.size() + columns - 1) / columns;
  const float gap = pen.px(28);
  const float label = pen.px(22);
  const float w = (area.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float h = area.h / static_cast<float>(rows) - label - pen.px(4);
  float longest = 1;
  for (const std::size_t i : used) {
    const MatrixView& view = model.matrices[i].view;
    longest = std::max({longest, static_cast<float>(view.rows), static_cast<float>(view.cols)});
  }
  std::vector<MatrixSlot> slots;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const MatrixView& view = model.matrices[used[i]].view;
    const float side = std::min(w, h);
    const float mw = side * std::max(static_cast<float>(view.cols) / longest, 0.2f);
    const float mh = side * std::max(static_cast<float>(view.rows) / longest, 0.2f);
    const float x = area.x + static_cast<float>(i % columns) * (w + gap);
    const float y = area.y + static_cast<float>(i / columns) * (h + label + pen.px(4)) + label;
    slots.push_back({used[i], {x, y, mw, mh}});
  }
  return slots;
}

Rect seen_by_camera(const Rect& box, const Rect& panel, const MatrixCamera& camera) {
  const float z = std::max(camera.zoom, 1.0f);
  const auto shift = [z](float at, float origin, float extent, float center) {
    return origin + extent / 2 + (at - origin - center * extent) * z;
  };
  const float cx = z > 1 ? camera.center_x : 0.5f;
  const float cy = z > 1 ? camera.center_y : 0.5f;
  return {shift(box.x, panel.x, panel.w, cx), shift(box.y, panel.y, panel.h, cy), box.w * z,
          box.h * z};
}

std::string panel_words(const TilingModel& model) {
  std::string words;
  for (const TiledMatrix& matrix : model.matrices) {
    if (matrix.grid_reads_per_element < 0.005) continue;
    const double reads = matrix.grid_reads_per_element;
    const std::string times = reads >= 9.95 || std::abs(reads - std::round(reads)) < 0.005
                                  ? format_count(static_cast<std::uint64_t>(std::llround(reads)))
                                  : fmt::format("{:.1f}", reads);
    if (words.empty()) {
      words = fmt::format("each element of {} is read {} ×", matrix.view.name, times);
    } else {
      words += fmt::format(", of {} {} ×", matrix.view.name, times);
    }
  }
  return words;
}

void draw_heat_switch(Pen& pen, const Rect& panel, const ViewContext& context,
                      const TilingModel& model) {
  const TextStyle style = pen.style(11, context.heat ? ColourRole::kStrong : ColourRole::kDim,
                                    Weight::kMedium, Align::kRight);
  const std::string words = "heat: reads per element";
  const float w = pen.width(words, style);
  const float y = panel.bottom() - pen.px(8);
  const float right = panel.right();
  float x = right - w;
  if (context.heat) {
    const std::string most = fmt::format("1 to {} reads", model.most_reads);
    const float legend = pen.width(most, style);
    x = right - legend - pen.px(72);
    for (int i = 0; i < 16; ++i) {
      CellGrid cell;
      cell.rows = cell.cols = 1;
      cell.heat = std::make_shared<std::vector<std::uint8_t>>(
          1, static_cast<std::uint8_t>(1 + i * 254 / 15));
      pen.canvas.cells({x + pen.px(4) * static_cast<float>(i), y - pen.px(4), pen.px(4), pen.px(8)},
                       cell, {0, 0, 1, 1});
    }
    pen.text(right, y, most, style);
  } else {
    pen.text(right, y, words, style);
  }
  Hit hit{HitKind::kArgument, context.heat ? 0 : 1, 0, "heat", {}};
  hit.tooltip = "Colours each element by how often this block's lanes read it from global memory.";
  pen.canvas.hit({x, y - pen.px(8), right - x, pen.px(16)}, hit);
}

Rect clamped(const Rect& box, const Rect& area) {
  const float x = std::clamp(box.x, area.x, area.right());
  const float y = std::clamp(box.y, area.y, area.bottom());
  return {x, y, std::clamp(box.right(), area.x, area.right()) - x,
          std::clamp(box.bottom(), area.y, area.bottom()) - y};
}

}  // namespace

Rect draw_grid_panel(Pen& pen, const Rect& area, const ViewContext& context,
                     const TilingMoment& moment) {
  const TilingModel& model = *moment.model;
  pen.heading(area.x, area.y + pen.px(8), "GRID", panel_words(model), area.right());
  Rect inside{area.x, area.y + pen.px(24), area.w, area.h - pen.px(48)};
  std::vector<MatrixSlot> slots;
  if (context.study->instance.problem == Problem::kGemm) slots = gemm_slots(pen, model, inside);
  if (slots.empty()) slots = plain_slots(pen, model, inside);

  const bool zoomed = context.camera.zoom > 1;
  if (zoomed) pen.canvas.push_clip(inside);
  Rect tile;
  std::vector<Rect> boxes;
  for (const MatrixSlot& slot : slots) {
    boxes.push_back(seen_by_camera(slot.box, inside, context.camera));
    const MatrixPicture picture{boxes.back(), inside, slot.matrix};
    draw_matrix(pen, picture, context, moment);
    if (model.output && *model.output == slot.matrix) {
      tile = place_box(picture, model.matrices[slot.matrix], model.matrices[slot.matrix].written);
    }
  }
  draw_matrix_guides(pen, model, slots, boxes, inside);
  if (zoomed) pen.canvas.pop_clip();
  if (model.most_reads > 0) draw_heat_switch(pen, area, context, model);
  return clamped(tile, inside);
}

}  // namespace tilescope
