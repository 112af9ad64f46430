#pragma once

#include <cstdint>
#include <string>

#include "core/dim3.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/pen.h"

namespace tilescope {

// What is known of a launch before anything is compiled or executed.
struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  std::uint64_t traced_block = 0;  // linear index; < grid.count()
};

// "64 × 32 blocks of 32 × 8 threads (8 warps)"
[[nodiscard]] std::string words_of(const LaunchShape& launch);

// The grid with the block that is traced, and that block's threads in their lanes' colours, a row
// of the picture for each row of the block; of more than fit the first.
void draw_launch(Canvas& canvas, const Rect& area, const LaunchShape& launch,
                 const DrawingStyle& look);

}  // namespace tilescope
