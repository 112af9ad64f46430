#include "scene/tiling/block_marks.h"

#include <algorithm>
#include <tuple>

namespace tilescope {
namespace {

// What two boxes have in common; empty: nothing.
ElementBox common(const ElementBox& a, const ElementBox& b) {
  const std::uint64_t row = std::max(a.row, b.row);
  const std::uint64_t col = std::max(a.col, b.col);
  const std::uint64_t rows_end = std::min(a.row + a.rows, b.row + b.rows);
  const std::uint64_t cols_end = std::min(a.col + a.cols, b.col + b.cols);
  if (row >= rows_end || col >= cols_end) return {};
  return {row, col, rows_end - row, cols_end - col};
}

}  // namespace

std::vector<Origin> worked_on(const TilingMoment& moment) {
  const bool comes = moment.travel && !moment.travel->elements.empty();
  if (comes && moment.travel->leg == Leg::kSharedToTensorCore) return moment.travel->elements;
  if (comes && moment.travel->leg == Leg::kSharedToRegisters) {
    std::vector<Origin> elements = {moment.travel->elements.front()};
    if (moment.travel->brings_matrices()) {  // of the other operand, what is multiplied with it
      elements.insert(elements.end(), moment.multiplied.begin(), moment.multiplied.end());
    }
    return elements;
  }
  if (!moment.product) return moment.multiplied;
  return {moment.product->left, moment.product->right};
}

bool works_element_by_element(const TilingMoment& moment) {
  const bool brings = moment.travel && moment.travel->brings_matrices();
  return !brings && (moment.product || moment.multiplied.empty());
}

void draw_stored(Pen& pen, const ElementFrame& tile, const TilingMoment& moment) {
  const std::vector<StoredRect>& stored = moment.model->stored;
  if (stored.size() > kMostRects) return;
  std::vector<ElementBox> boxes;
  for (const StoredRect& rect : stored) {
    if (rect.event > moment.event) break;
    boxes.push_back(rect.box);
  }
  // Those that stand on one another as one, so that no seams show.
  std::ranges::sort(boxes, {},
                    [](const ElementBox& box) { return std::tuple(box.col, box.cols, box.row); });
  for (std::size_t i = 0; i < boxes.size();) {
    ElementBox all = boxes[i];
    for (++i; i < boxes.size() && boxes[i].col == all.col && boxes[i].cols == all.cols &&
              boxes[i].row == all.row + all.rows;
         ++i) {
      all.rows += boxes[i].rows;
    }
    pen.canvas.fill_rect(tile.place(all), Paint(ColourRole::kThird, 0.6f));
  }
}

void draw_multiplied(Pen& pen, const ElementFrame& strip, const TiledMatrix& matrix,
                     const TilingMoment& moment) {
  for (const auto& [index, part] : moment.multiplied_parts) {
    if (&moment.model->matrices[index] != &matrix) continue;
    const ElementBox box = common(part, strip.elements);
    if (box.empty()) continue;
    Rect rect = strip.place(box);
    rect.w = std::max(rect.w, 2.0f);
    rect.h = std::max(rect.h, 2.0f);
    pen.canvas.fill_rect(rect, matrix.view.colour);
  }
}

void draw_lit(Pen& pen, const ElementFrame& frame, const TiledMatrix& matrix,
              const TilingMoment& moment) {
  for (const auto& [index, box] : moment.lit) {
    if (&moment.model->matrices[index] != &matrix) continue;
    const ElementBox part = common(box, frame.elements);
    if (part.empty()) continue;
    pen.canvas.fill_rect(frame.place(part), Paint(ColourRole::kSelection, 0.45f));
    pen.outline(frame.place(part), ColourRole::kSelection, 1);
  }
}

void draw_travelling(Pen& pen, const ElementFrame& strip, const TiledMatrix& matrix,
                     const TilingMoment& moment) {
  if (!moment.travel) return;
  const Leg leg = moment.travel->leg;
  if (leg == Leg::kSharedToTensorCore) {
    const auto index = static_cast<std::size_t>(&matrix - moment.model->matrices.data());
    ElementBox slice;
    for (const Origin& origin : moment.travel->elements) {
      const std::uint64_t row = origin.element() / matrix.view.leading;
      const std::uint64_t col = origin.element() % matrix.view.leading;
      if (origin.matrix() == index && strip.elements.contains(row, col)) slice.add(row, col);
    }
    if (!slice.empty()) pen.canvas.fill_rect(strip.place(slice), matrix.view.colour);
    return;
  }
  if (leg != Leg::kSharedToRegisters && leg != Leg::kRegistersToShared) return;
  for (const auto& [lane, origin] : moment.travel->lanes) {
    if (&moment.model->matrices[origin.matrix()] != &matrix) continue;
    const std::uint64_t row = origin.element() / matrix.view.leading;
    const std::uint64_t col = origin.element() % matrix.view.leading;
    if (!strip.elements.contains(row, col)) continue;
    pen.canvas.fill_rect(strip.place({row, col, 1, 1}), Paint::lane(lane));
  }
}

}  // namespace tilescope
