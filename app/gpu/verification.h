#pragma once
#include <cstdint>
#include <span>

#include "kernel/launch/element_reference.h"

namespace tilescope {

// Row-major matrix in host memory; rows start `leading` elements apart.
struct MatrixSpan {
  const float* data = nullptr;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t leading = 0;
};

struct OperandStatistics {
  double mean = 0;
  double root_mean_square = 0;
  double largest = 0;  // absolute value
};
[[nodiscard]] OperandStatistics statistics_of(std::span<const float> values);

// What rounding can do to alpha A B + beta C.
struct GemmScale {
  std::uint64_t k = 0;
  double alpha = 1;
  double beta = 0;
  OperandStatistics a;
  OperandStatistics b;
  OperandStatistics c;
};

// Largest difference between two FP32 results of one GEMM that rounding explains, in any order of
// summation. With u = 2^-24, products of mean m and root mean square r, and each rounding an
// independent error of at most u times the partial sum (Higham and Mary, A New Approach to
// Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput. 41(5), 2019; model 1.3), a sum of K
// products has the error's standard deviation at most
//     s = u sqrt(K^2 r^2 / 6 + K^3 m^2 / 9)
// (partial sum j is about sqrt(j r^2 + j^2 m^2); uniform rounding divides its square by 3). The
// tolerance is 20 s: sqrt(2) for two results, 7 deviations for the largest of up to 2^34 elements,
// a factor 2 for what the model leaves out; plus 8 u times the largest result for alpha, beta and
// the last rounding.
[[nodiscard]] double gemm_tolerance(const GemmScale& scale);

// Largest |got - want|. NaN as soon as either holds one where they differ, so that
// !(error <= tolerance) calls it wrong.
[[nodiscard]] double largest_difference(const MatrixSpan& got, const MatrixSpan& want);

// Largest |out[c][r] - in[r][c]|, bit for bit where it is 0; NaN as above.
[[nodiscard]] double transpose_difference(const MatrixSpan& in, const MatrixSpan& out);

// Largest |out[r][c] - in[r][c]|, likewise.
[[nodiscard]] double copy_difference(const MatrixSpan& in, const MatrixSpan& out);

// The spans hold the bits of i32: largest |out[r][c] - reference(in[r][c], r, c)|.
[[nodiscard]] double element_difference(ElementReference reference, const MatrixSpan& in,
                                        const MatrixSpan& out);

}  // namespace tilescope
