#pragma once

#include "scene/model/copy_flow.h"
#include "scene/model/tiling_model.h"

namespace tilescope {

// Row and column of an element in its matrix.
struct ElementIndex {
  std::uint64_t row = 0;
  std::uint64_t col = 0;
};
[[nodiscard]] ElementIndex element_of(const TilingModel& model, Origin origin);

// A multiply-add of one element of A and one of B.
struct GemmProduct {
  ElementIndex a;
  ElementIndex b;
};
[[nodiscard]] std::optional<GemmProduct> gemm_product(const TilingModel& model,
                                                      const LaneFlow::Product& product);

// Of a kernel without a stated problem: whether what some of the block's threads multiply and store
// is a product of matrices, C[i][j] += A[i][k] B[k][j], or a transpose, out[i][j] = in[j][i]. Sets
// the model's movement and its matrices' roles and colours; leaves it alone where it is not sure.
void find_problem(const KernelStudy& study, const CopyFlow& flow, TilingModel& model);

}  // namespace tilescope
