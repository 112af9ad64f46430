#pragma once
#include <vector>

#include "scene/tiling/element_frame.h"

namespace tilescope {

inline constexpr std::size_t kMostRects = 4096;  // of one kind, in the block's picture

// The elements of A and B that the selected thread works with: on their way into its registers or
// into a tensor core, or multiplied last.
[[nodiscard]] std::vector<Origin> worked_on(const TilingMoment& moment);
// Whether those are a row's or a column's: of a matrix product they are only some of many.
[[nodiscard]] bool works_element_by_element(const TilingMoment& moment);
// What of the matrix the last matrix product multiplies.
void draw_multiplied(Pen& pen, const ElementFrame& strip, const TiledMatrix& matrix,
                     const TilingMoment& moment);
// What has gone from registers to C by now, whoever stored it.
void draw_stored(Pen& pen, const ElementFrame& tile, const TilingMoment& moment);
// Frames what the line under the pointer reads or stores of the matrix.
void draw_lit(Pen& pen, const ElementFrame& frame, const TiledMatrix& matrix,
              const TilingMoment& moment);
// What the selected warp moves to or from shared memory now, in its lanes' colours; what a tensor
// core reads there, in the matrix's.
void draw_travelling(Pen& pen, const ElementFrame& strip, const TiledMatrix& matrix,
                     const TilingMoment& moment);

}  // namespace tilescope
