#pragma once
#include "core/dim3.h"
#include "scene/tiling/matrix_view.h"

namespace tilescope {

// The block's tile `written` of a matrix, and what the matrix's edge cuts off it: from the same
// first element, as large as the tiles before it. As written where nothing is cut, or where the
// blocks' indices do not tell.
[[nodiscard]] ElementBox full_tile(const ElementBox& written, const MatrixView& matrix,
                                   const Dim3& block, const Dim3& grid);

}  // namespace tilescope
