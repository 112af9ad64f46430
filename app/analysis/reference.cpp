#include "analysis/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <thread>
#include <vector>

#include "core/parallel.h"

namespace tilescope {
namespace {

// A row-major float matrix of the launch.
struct MatrixView {
  const float* data = nullptr;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t leading = 0;
  [[nodiscard]] const float* row(std::uint64_t r) const { return data + r * leading; }
};

std::optional<MatrixView> matrix_of(const KernelInstance& instance, const DeviceMemory& memory,
                                    Role role) {
  std::size_t buffer = 0;
  for (const Argument& argument : instance.arguments) {
    if (!argument.is_pointer) continue;
    if (argument.role == role && argument.type == ElementType::kF32) {
      const auto& contents = *memory.buffers()[buffer].contents;
      return MatrixView{reinterpret_cast<const float*>(contents.data()), argument.rows,
                        argument.cols, argument.leading};
    }
    ++buffer;
  }
  return std::nullopt;
}

double scalar_of(const KernelInstance& instance, const char* name, double otherwise) {
  for (const Argument& argument : instance.arguments) {
    if (!argument.is_pointer && argument.name == name && argument.type == ElementType::kF32) {
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(argument.bits)));
    }
  }
  return otherwise;
}

// NaN-safe maximum: one NaN makes the whole NaN.
void take_error(double error, double* worst) {
  if (!std::isnan(*worst) && !(error <= *worst)) *worst = error;
}

struct Gemm {
  MatrixView a, b, c, result;
  double alpha = 1;
  double beta = 0;
};

// Rows [first, last) of alpha A B + beta C in double, four rows at a time so that B streams once
// per four.
double gemm_error(const Gemm& gemm, std::uint64_t first, std::uint64_t last,
                  const std::stop_token& stop) {
  constexpr std::uint64_t kRows = 4;
  const std::uint64_t n = gemm.b.cols;
  std::vector<double> sums(kRows * n);
  double worst = 0;
  for (std::uint64_t r0 = first; r0 < last && !stop.stop_requested(); r0 += kRows) {
    const std::uint64_t rows = std::min(kRows, last - r0);
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::uint64_t k = 0; k < gemm.a.cols; ++k) {
      const float* b = gemm.b.row(k);
      for (std::uint64_t r = 0; r < rows; ++r) {
        const auto a = static_cast<double>(gemm.a.row(r0 + r)[k]);
        double* sum = sums.data() + r * n;
        for (std::uint64_t j = 0; j < n; ++j) sum[j] += a * static_cast<double>(b[j]);
      }
    }
    for (std::uint64_t r = 0; r < rows; ++r) {
      for (std::uint64_t j = 0; j < n && !std::isnan(worst); ++j) {
        const double before =
            gemm.beta == 0 ? 0.0 : gemm.beta * static_cast<double>(gemm.c.row(r0 + r)[j]);
        const double want = gemm.alpha * sums[r * n + j] + before;
        take_error(std::abs(static_cast<double>(gemm.result.row(r0 + r)[j]) - want), &worst);
      }
    }
  }
  return worst;
}

double gemm_error_parallel(const Gemm& gemm, const std::stop_token& stop) {
  const unsigned workers = std::max(std::thread::hardware_concurrency(), 1u);
  std::vector<double> worst(workers, 0.0);
  for_each_parallel(workers, workers, [&](std::size_t w) {
    worst[w] = gemm_error(gemm, gemm.c.rows * w / workers, gemm.c.rows * (w + 1) / workers, stop);
  });
  double all = 0;
  for (const double error : worst) take_error(error, &all);
  return all;
}

double transpose_error(const MatrixView& in, const MatrixView& out) {
  double worst = 0;
  for (std::uint64_t r = 0; r < in.rows && !std::isnan(worst); ++r) {
    for (std::uint64_t c = 0; c < in.cols; ++c) {
      take_error(std::abs(static_cast<double>(out.row(c)[r]) - static_cast<double>(in.row(r)[c])),
                 &worst);
    }
  }
  return worst;
}

}  // namespace

double result_tolerance(const KernelInstance& instance) {
  if (instance.problem != Problem::kGemm) return 0;
  const auto k = instance.extents.find("K");
  return k == instance.extents.end() ? 0 : 4.0 * 0x1p-24 * static_cast<double>(k->second);
}

std::optional<Verification> verify_result(const KernelInstance& instance,
                                          const DeviceMemory& before, const DeviceMemory& after,
                                          std::stop_token stop) {
  if (!instance.problem) return std::nullopt;
  Verification verification;
  verification.tolerance = result_tolerance(instance);
  if (*instance.problem == Problem::kTranspose) {
    const auto in = matrix_of(instance, before, Role::kIn);
    const auto out = matrix_of(instance, after, Role::kOut);
    if (!in || !out) return std::nullopt;
    verification.max_error = transpose_error(*in, *out);
    return verification;
  }
  const auto a = matrix_of(instance, before, Role::kA);
  const auto b = matrix_of(instance, before, Role::kB);
  const auto c = matrix_of(instance, before, Role::kC);
  const auto result = matrix_of(instance, after, Role::kC);
  if (!a || !b || !c || !result) return std::nullopt;
  verification.max_error = gemm_error_parallel(
      {*a, *b, *c, *result, scalar_of(instance, "alpha", 1), scalar_of(instance, "beta", 0)}, stop);
  if (stop.stop_requested()) return std::nullopt;
  return verification;
}

}  // namespace tilescope
