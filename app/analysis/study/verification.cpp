#include "analysis/study/verification.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "core/parallel.h"
#include "kernel/launch/element_reference.h"
#include "kernel/launch/gemm_factors.h"

namespace tilescope {
namespace {

// A row-major matrix of the launch.
template <typename Element>
struct MatrixView {
  const Element* data = nullptr;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t leading = 0;
  [[nodiscard]] const Element* row(std::uint64_t r) const { return data + r * leading; }
};

// The argument of a role with its contents; nullptr where there is none.
struct Operand {
  const Argument* argument = nullptr;
  std::span<const std::byte> contents;
};

Operand operand_of(const KernelInstance& instance, const DeviceMemory& memory, Role role) {
  std::size_t buffer = 0;
  for (const Argument& argument : instance.arguments) {
    if (!argument.is_pointer) continue;
    if (argument.role == role) return {&argument, *memory.buffers()[buffer].contents};
    ++buffer;
  }
  return {};
}

template <typename Element>
std::optional<MatrixView<Element>> matrix_of(const KernelInstance& instance,
                                             const DeviceMemory& memory, Role role) {
  const Operand operand = operand_of(instance, memory, role);
  if (operand.argument == nullptr || size_of(operand.argument->type) != sizeof(Element)) {
    return std::nullopt;
  }
  return MatrixView<Element>{reinterpret_cast<const Element*>(operand.contents.data()),
                             operand.argument->rows, operand.argument->cols,
                             operand.argument->leading};
}

// A matrix of any float type, as f32: `storage` holds what had to be converted.
std::optional<MatrixView<float>> floats_of(const KernelInstance& instance,
                                           const DeviceMemory& memory, Role role,
                                           std::vector<float>* storage) {
  const Operand operand = operand_of(instance, memory, role);
  if (operand.argument == nullptr) return std::nullopt;
  if (operand.argument->type == ElementType::kF32) {
    return matrix_of<float>(instance, memory, role);
  }
  *storage = to_floats(operand.argument->type, operand.contents);
  if (storage->empty()) return std::nullopt;
  return MatrixView<float>{storage->data(), operand.argument->rows, operand.argument->cols,
                           operand.argument->leading};
}

// NaN-safe maximum: one NaN makes the whole NaN.
void take_error(double error, double* worst) {
  if (!std::isnan(*worst) && !(error <= *worst)) *worst = error;
}

struct Gemm {
  MatrixView<float> a, b, c, result;
  double alpha = 1;
  double beta = 0;
};

// A tile of the product whose sums stay in registers.
constexpr std::uint64_t kTileRows = 4;
constexpr std::uint64_t kTileColumns = 8;
using TileSums = double[kTileRows][kTileColumns];

// Rows of A times a panel of B: kTileColumns columns, one after the other along k.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void multiply_tile(const float* const (&rows)[kTileRows], const double* panel, std::uint64_t depth,
                   TileSums& sums) {
  TileSums tile = {};
  for (std::uint64_t k = 0; k < depth; ++k, panel += kTileColumns) {
    for (std::uint64_t r = 0; r < kTileRows; ++r) {
      const auto a = static_cast<double>(rows[r][k]);
      for (std::uint64_t j = 0; j < kTileColumns; ++j) tile[r][j] += a * panel[j];
    }
  }
  std::memcpy(sums, tile, sizeof tile);
}

// Columns [first, first + kTileColumns) of alpha A B + beta C in double against the result.
double panel_error(const Gemm& gemm, std::uint64_t first, const std::stop_token& stop) {
  const std::uint64_t depth = gemm.a.cols;
  const std::uint64_t columns = std::min(kTileColumns, gemm.b.cols - first);
  std::vector<double> panel(depth * kTileColumns);
  for (std::uint64_t k = 0; k < depth; ++k) {
    std::copy_n(gemm.b.row(k) + first, columns,
                panel.begin() + static_cast<std::ptrdiff_t>(k * kTileColumns));
  }
  double worst = 0;
  for (std::uint64_t r0 = 0; r0 < gemm.c.rows && !stop.stop_requested(); r0 += kTileRows) {
    const std::uint64_t rows = std::min(kTileRows, gemm.c.rows - r0);
    const float* a[kTileRows];
    for (std::uint64_t r = 0; r < kTileRows; ++r) a[r] = gemm.a.row(r0 + std::min(r, rows - 1));
    TileSums sums;
    multiply_tile(a, panel.data(), depth, sums);
    for (std::uint64_t r = 0; r < rows; ++r) {
      for (std::uint64_t j = 0; j < columns; ++j) {
        const double before =
            gemm.beta == 0 ? 0.0 : gemm.beta * static_cast<double>(gemm.c.row(r0 + r)[first + j]);
        const double want = gemm.alpha * sums[r][j] + before;
        take_error(std::abs(static_cast<double>(gemm.result.row(r0 + r)[first + j]) - want),
                   &worst);
      }
    }
  }
  return worst;
}

double gemm_error(const Gemm& gemm, const std::stop_token& stop) {
  const std::uint64_t panels = (gemm.b.cols + kTileColumns - 1) / kTileColumns;
  std::vector<double> worst(panels, 0.0);
  for_each_parallel(panels, processor_count(), [&](std::size_t panel) {
    worst[panel] = panel_error(gemm, panel * kTileColumns, stop);
  });
  double all = 0;
  for (const double error : worst) take_error(error, &all);
  return all;
}

// Elements by their bits: equal NaNs are no difference, for nothing was computed.
void take_moved(float got, float want, double* worst) {
  if (std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(want)) return;
  take_error(std::abs(static_cast<double>(got) - static_cast<double>(want)), worst);
}

// By tiles, so that both matrices are read along their rows.
double transpose_error(const MatrixView<float>& in, const MatrixView<float>& out) {
  constexpr std::uint64_t kTile = 32;
  double worst = 0;
  for (std::uint64_t r0 = 0; r0 < out.rows; r0 += kTile) {
    for (std::uint64_t c0 = 0; c0 < out.cols; c0 += kTile) {
      const std::uint64_t last_column = std::min(c0 + kTile, out.cols);
      for (std::uint64_t r = r0; r < std::min(r0 + kTile, out.rows); ++r) {
        for (std::uint64_t c = c0; c < last_column; ++c) {
          take_moved(out.row(r)[c], in.row(c)[r], &worst);
        }
      }
    }
  }
  return worst;
}

double copy_error(const MatrixView<float>& in, const MatrixView<float>& out) {
  double worst = 0;
  for (std::uint64_t r = 0; r < out.rows; ++r) {
    for (std::uint64_t c = 0; c < out.cols; ++c) take_moved(out.row(r)[c], in.row(r)[c], &worst);
  }
  return worst;
}

double element_error(ElementReference reference, const MatrixView<std::int32_t>& in,
                     const MatrixView<std::int32_t>& out) {
  double worst = 0;
  for (std::uint64_t r = 0; r < out.rows; ++r) {
    for (std::uint64_t c = 0; c < out.cols; ++c) {
      const std::int64_t want =
          reference.value(in.row(r)[c], static_cast<std::int64_t>(r), static_cast<std::int64_t>(c));
      take_error(std::abs(static_cast<double>(out.row(r)[c] - want)), &worst);
    }
  }
  return worst;
}

// The largest error of a problem that moves or maps elements; nullopt: types that it cannot have.
std::optional<double> element_problem_error(const KernelInstance& instance,
                                            const DeviceMemory& before, const DeviceMemory& after) {
  const ReferenceKind kind = (*instance.problem)->reference;
  if (kind == ReferenceKind::kElements) {
    const auto in = matrix_of<std::int32_t>(instance, before, Role::kIn);
    const auto out = matrix_of<std::int32_t>(instance, after, Role::kOut);
    const auto reference = ElementReference::make(instance);
    if (!in || !out || !reference) return std::nullopt;
    return element_error(*reference, *in, *out);
  }
  const auto in = matrix_of<float>(instance, before, Role::kIn);
  const auto out = matrix_of<float>(instance, after, Role::kOut);
  if (!in || !out) return std::nullopt;
  return kind == ReferenceKind::kTranspose ? transpose_error(*in, *out) : copy_error(*in, *out);
}

std::optional<Verification> verify_product(const KernelInstance& instance,
                                           const DeviceMemory& before, const DeviceMemory& after,
                                           const std::stop_token& stop) {
  std::vector<float> converted[2];
  const auto a = floats_of(instance, before, Role::kA, &converted[0]);
  const auto b = floats_of(instance, before, Role::kB, &converted[1]);
  const auto c = matrix_of<float>(instance, before, Role::kC);
  const auto result = matrix_of<float>(instance, after, Role::kC);
  if (!a || !b || !c || !result) return std::nullopt;
  Verification verification;
  verification.tolerance = rounding_tolerance(instance);
  verification.max_error = gemm_error(
      {*a, *b, *c, *result, static_cast<double>(scalar_argument(instance, "alpha", 1.0F)),
       static_cast<double>(scalar_argument(instance, "beta", 0.0F))},
      stop);
  if (stop.stop_requested()) return std::nullopt;
  return verification;
}

}  // namespace

std::optional<Verification> verify_result(const KernelInstance& instance,
                                          const DeviceMemory& before, const DeviceMemory& after,
                                          std::stop_token stop) {
  if (!instance.problem) return std::nullopt;
  switch ((*instance.problem)->reference) {
    case ReferenceKind::kProduct:
      return verify_product(instance, before, after, stop);
    case ReferenceKind::kTranspose:
    case ReferenceKind::kCopy:
    case ReferenceKind::kElements: {
      const auto error = element_problem_error(instance, before, after);
      return error ? std::optional(Verification{*error, 0}) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace tilescope
