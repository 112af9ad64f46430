#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "scene/drawing/canvas.h"

namespace tilescope {

// The places of a picture's marks as a person reads them: row by row from the top, each from left
// to right. What begins above the middle of a row's first mark belongs to that row. Returns
// indices.
[[nodiscard]] std::vector<std::size_t> reading_order(std::span<const Rect> marks);

}  // namespace tilescope
