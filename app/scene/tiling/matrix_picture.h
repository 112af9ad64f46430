#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "scene/tiling/tiling_scene.h"

namespace tilescope {

// One matrix of the grid panel as the camera shows it.
struct MatrixPicture {
  Rect box;   // the whole matrix; may reach far beyond the clip
  Rect clip;  // what is visible of the panel
  std::size_t matrix = 0;
};

// Its tiles, bands and, from close by, its elements.
void draw_matrix(Pen& pen, const MatrixPicture& picture, const ViewContext& context,
                 const TilingMoment& moment);
// From close by: every visible element with its value, row and column, and who owns it.
void draw_elements(Pen& pen, const MatrixPicture& picture, const ViewContext& context,
                   const TilingMoment& moment);
// Where a box of elements lies, at least 3 px wide and high.
[[nodiscard]] Rect place_box(const MatrixPicture& picture, const TiledMatrix& matrix,
                             const ElementBox& box);
// Lines that join the bands of the inputs with the output tile.
void draw_matrix_guides(Pen& pen, const TilingModel& model, const std::vector<MatrixSlot>& slots,
                        const std::vector<Rect>& boxes, const Rect& clip);

// An element box drawn at some scale: the block's tile, or a k-tile beside it.
struct ElementFrame {
  Rect box;
  ElementBox elements;
  [[nodiscard]] Rect place(const ElementBox& part) const {
    const float cw = box.w / static_cast<float>(elements.cols);
    const float ch = box.h / static_cast<float>(elements.rows);
    const float x = static_cast<float>(part.col) - static_cast<float>(elements.col);
    const float y = static_cast<float>(part.row) - static_cast<float>(elements.row);
    return {box.x + x * cw, box.y + y * ch, std::max(static_cast<float>(part.cols) * cw, 1.0f),
            std::max(static_cast<float>(part.rows) * ch, 1.0f)};
  }
};

// What a block moves when it multiplies nothing: what it reads, shared memory, what it stores.
[[nodiscard]] BlockPicture draw_moves(Pen& pen, const Rect& area, const ViewContext& context,
                                      const TilingMoment& moment);
// How much of each of these rooms its pictures would cover, in px².
[[nodiscard]] std::vector<float> moves_cover(const Pen& pen, std::span<const Rect> rooms,
                                             const ViewContext& context,
                                             const TilingMoment& moment);

}  // namespace tilescope
