#include "scene/tiling/block_marks.h"

#include <algorithm>
#include <tuple>

namespace tilescope {

std::vector<Origin> worked_on(const TilingMoment& moment) {
  const bool comes = moment.travel && moment.travel->leg == Leg::kSharedToRegisters &&
                     !moment.travel->elements.empty();
  if (comes) return {moment.travel->elements.front()};
  if (!moment.product) return {};
  return {moment.product->left, moment.product->right};
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

void draw_lit(Pen& pen, const ElementFrame& frame, const TiledMatrix& matrix,
              const TilingMoment& moment) {
  for (const auto& [index, box] : moment.lit) {
    if (&moment.model->matrices[index] != &matrix) continue;
    const ElementBox& all = frame.elements;
    ElementBox part{std::max(box.row, all.row), std::max(box.col, all.col), 0, 0};
    const std::uint64_t rows_end = std::min(box.row + box.rows, all.row + all.rows);
    const std::uint64_t cols_end = std::min(box.col + box.cols, all.col + all.cols);
    if (part.row >= rows_end || part.col >= cols_end) continue;
    part.rows = rows_end - part.row;
    part.cols = cols_end - part.col;
    pen.canvas.fill_rect(frame.place(part), Paint(ColourRole::kSelection, 0.45f));
    pen.outline(frame.place(part), ColourRole::kSelection, 1);
  }
}

void draw_travelling(Pen& pen, const ElementFrame& strip, const TiledMatrix& matrix,
                     const TilingMoment& moment) {
  if (!moment.travel) return;
  const Leg leg = moment.travel->leg;
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
