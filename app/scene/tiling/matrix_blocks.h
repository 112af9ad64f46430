#pragma once
#include "scene/tiling/matrix_picture.h"

namespace tilescope {

// Where the blocks' tiles follow their indices: a click in the matrix that they store chooses one.
void add_block_hits(Pen& pen, const MatrixPicture& picture, const TiledMatrix& matrix,
                    const KernelStudy& study);
// Likewise: hatches the tiles that the matrix's edge cuts.
void hatch_cut_tiles(Pen& pen, const MatrixPicture& picture, const TilingModel& model,
                     const KernelStudy& study);

}  // namespace tilescope
