#include "analysis/study/kernel_study.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <future>
#include <span>
#include <utility>
#include <vector>

#include "analysis/memory/launch_memory.h"
#include "analysis/study/study_counts.h"
#include "core/parallel.h"
#include "kernel/launch/element_reference.h"
#include "kernel/launch/gemm_factors.h"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Error cancelled() {
  return {ErrorCode::kCancelled, "a newer request took this one's place", "", {}};
}

Result<std::shared_ptr<const Program>> decode_own(const KernelInstance& instance,
                                                  const CompiledKernel& compiled) {
  return instance.is_ptx() ? decode_ptx_file(compiled.ptx, compiled.kernel, instance.file_name)
                           : decode_ptx(compiled.ptx, compiled.kernel, instance.source);
}

}  // namespace

Result<std::shared_ptr<const KernelStudy>> prepare_study(const StudyRequest& request,
                                                         std::stop_token stop) {
  auto study = std::make_shared<KernelStudy>();
  study->instance = request.instance;
  // The launch's memory is made while the kernel compiles.
  auto memory = std::async(std::launch::async, [&request] {
    return make_launch_memory(request.instance, request.inputs);
  });
  auto compiled = compile({request.instance, request.compute_capability, false}, stop);
  if (!compiled) return std::move(compiled).error();
  study->compile_seconds = compiled->seconds;
  auto program = decode_own(request.instance, *compiled);
  if (!program) return std::move(program).error();
  study->program = *std::move(program);
  study->compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  if (stop.stop_requested()) return cancelled();
  auto launch = memory.get();
  if (!launch) return std::move(launch).error();
  study->launch = {request.instance.grid, request.instance.block,
                   request.instance.dynamic_shared_bytes, std::move(launch->arguments)};
  study->launch.grid_workspace = add_grid_workspace(*study->program, launch->memory);
  study->memory = std::make_shared<const DeviceMemory>(std::move(launch->memory));
  return std::shared_ptr<const KernelStudy>(std::move(study));
}

Result<std::shared_ptr<const KernelStudy>> study_block(const StudyRequest& request,
                                                       std::stop_token stop) {
  auto prepared = prepare_study(request, stop);
  if (!prepared) return prepared;
  auto study = std::make_shared<KernelStudy>(**prepared);
  const auto start = Clock::now();
  auto counted = trace_and_count(request, study.get(), stop);
  if (!counted) return std::move(counted).error();
  study->counters = std::make_shared<const LaunchCounters>(std::move(counted->counters));
  study->complete = counted->emulation.complete;
  study->emulate_seconds = seconds_since(start);
  return std::shared_ptr<const KernelStudy>(std::move(study));
}

Result<std::shared_ptr<const KernelStudy>> with_resources(std::shared_ptr<const KernelStudy> study,
                                                          const DeviceModel& device,
                                                          std::stop_token stop) {
  auto compiled = compile({study->instance, device.compute_capability, true}, stop);
  if (!compiled) return std::move(compiled).error();
  auto next = std::make_shared<KernelStudy>(*study);
  next->device = std::make_shared<const DeviceModel>(device);
  if (compiled->has_resources) {
    OccupancyRequest request;
    request.threads_per_block = static_cast<int>(study->instance.block.count());
    request.registers_per_thread = compiled->resources.registers;
    request.static_shared_bytes = compiled->resources.static_shared_bytes;
    request.dynamic_shared_bytes = static_cast<int>(study->instance.dynamic_shared_bytes);
    if (const auto found = occupancy(device, request)) next->occupancy = *found;
  }
  next->compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  return std::shared_ptr<const KernelStudy>(std::move(next));
}

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
  const unsigned workers = processor_count();
  std::vector<double> worst(workers, 0.0);
  for_each_parallel(workers, workers, [&](std::size_t w) {
    worst[w] = gemm_error(gemm, gemm.c.rows * w / workers, gemm.c.rows * (w + 1) / workers, stop);
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

double transpose_error(const MatrixView<float>& in, const MatrixView<float>& out) {
  double worst = 0;
  for (std::uint64_t r = 0; r < out.rows; ++r) {
    for (std::uint64_t c = 0; c < out.cols; ++c) take_moved(out.row(r)[c], in.row(c)[r], &worst);
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
  verification.max_error = gemm_error_parallel(
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
