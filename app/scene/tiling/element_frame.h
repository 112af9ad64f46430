#pragma once
#include <algorithm>

#include "scene/tiling/tiling_scene.h"

namespace tilescope {

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

}  // namespace tilescope
