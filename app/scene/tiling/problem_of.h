#pragma once
#include "scene/tiling/copy_flow.h"
#include "scene/tiling/tiling_model.h"

namespace tilescope {

// Of a kernel without a stated problem: whether what some of the block's threads multiply and store
// is a product of matrices, C[i][j] += A[i][k] B[k][j], or a transpose, out[i][j] = in[j][i]. Sets
// the model's problem and its matrices' roles and colours; leaves it alone where it is not sure.
void find_problem(const KernelStudy& study, const CopyFlow& flow, TilingModel& model);

}  // namespace tilescope
