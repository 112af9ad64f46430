#include "gpu/reference_work.h"

#include <span>
#include <utility>

#include "kernel/launch/gemm_factors.h"

namespace tilescope {
namespace {

std::vector<float> floats_for(const DeviceBuffer& buffer) {
  return std::vector<float>(buffer.bytes() / sizeof(float));
}

MatrixSpan matrix(const Argument& argument, const std::vector<float>& values) {
  return {values.data(), argument.rows, argument.cols, argument.leading};
}

std::int64_t extent(std::uint64_t value) { return static_cast<std::int64_t>(value); }

bool has_type(const LaunchBuffers::Operand& operand, ElementType type) {
  return operand.argument->type == type;
}

// A is m x k, B k x n, C m x n: what the catalogue says must fit together before cuBLAS reads it.
bool is_product(const Argument& a, const Argument& b, const Argument& c) {
  return a.rows == c.rows && a.cols == b.rows && b.cols == c.cols && c.rows * c.cols > 0;
}

// cuBLAS reads A and B, both in FP32 or both in bf16, and the result is FP32.
bool can_multiply(const LaunchBuffers::Operand& a, const LaunchBuffers::Operand& b,
                  const LaunchBuffers::Operand& c) {
  const ElementType type = a.argument->type;
  return (type == ElementType::kF32 || type == ElementType::kBf16) && has_type(b, type) &&
         has_type(c, ElementType::kF32) && a.pristine != nullptr && b.pristine != nullptr &&
         is_product(*a.argument, *b.argument, *c.argument);
}

// The host reads `in` and what became of it.
bool can_compare(Problem problem, const LaunchBuffers::Operand& in,
                 const LaunchBuffers::Operand& out) {
  const ElementType type = problem == Problem::kElementwise ? ElementType::kI32 : ElementType::kF32;
  const bool turned = problem == Problem::kTranspose;
  return has_type(in, type) && has_type(out, type) && in.pristine != nullptr &&
         in.argument->rows == (turned ? out.argument->cols : out.argument->rows) &&
         in.argument->cols == (turned ? out.argument->rows : out.argument->cols);
}

}  // namespace

Result<std::optional<ReferenceWork>> ReferenceWork::make(const GpuDevice& gpu,
                                                         const RunMessage& run,
                                                         const LaunchBuffers& buffers,
                                                         std::optional<DeviceBuffer>* result) {
  const KernelInstance& instance = run.request.instance;
  const auto a = buffers.find(Role::kA);
  const auto b = buffers.find(Role::kB);
  const auto c = buffers.find(Role::kC);
  const auto in = buffers.find(Role::kIn);
  const auto out = buffers.find(Role::kOut);
  const bool gemm = instance.problem == Problem::kGemm && gpu.cublas() != nullptr && a && b && c &&
                    can_multiply(*a, *b, *c);
  const bool elements = instance.problem && instance.problem != Problem::kGemm && in && out &&
                        can_compare(*instance.problem, *in, *out);
  if (!gemm && !elements) return std::optional<ReferenceWork>();

  const std::uint64_t bytes = gemm ? c->buffer->bytes() : out->buffer->bytes();
  if (!*result || (*result)->bytes() != bytes) {
    result->reset();
    auto made = DeviceBuffer::allocate(gpu, bytes);
    if (!made) return made.error();
    result->emplace(*std::move(made));
  }
  const bool bf16 = gemm && has_type(*a, ElementType::kBf16);
  const char* name = !gemm  ? "device copy"
                     : bf16 ? "cuBLAS GemmEx, bf16 to FP32"
                            : "cuBLAS SGEMM, FP32";
  ReferenceWork work(gpu, name, **result);
  work.problem_ = *instance.problem;
  work.bf16_ = bf16;
  if (elements) {
    work.in_ = *in;
    work.out_ = *out;
    if (work.problem_ == Problem::kElementwise) {
      auto reference = ElementReference::make(instance);
      if (!reference) return std::move(reference).error();
      work.elements_ = *std::move(reference);
    }
    return std::optional(std::move(work));
  }
  work.a_ = *a;
  work.b_ = *b;
  work.c_ = *c;
  work.gemm_ = Cublas::Gemm{.m = extent(c->argument->rows),
                            .n = extent(c->argument->cols),
                            .k = extent(a->argument->cols),
                            .alpha = scalar_argument(instance, "alpha", 1.0f),
                            .beta = scalar_argument(instance, "beta", 0.0f),
                            .a = a->pristine->buffer.data(),
                            .b = b->pristine->buffer.data(),
                            .c = work.result_->data(),
                            .leading_a = extent(a->argument->leading),
                            .leading_b = extent(b->argument->leading),
                            .leading_c = extent(c->argument->leading)};
  return std::optional(std::move(work));
}

Status ReferenceWork::multiply() const {
  return bf16_ ? gpu_->cublas()->bf16_gemm(*gemm_) : gpu_->cublas()->sgemm(*gemm_);
}

Status ReferenceWork::queue() const {
  if (gemm_) return multiply();
  return result_->queue_copy_from(in_.pristine->buffer);
}

std::string ReferenceWork::other_name() const {
  const bool transposes = problem_ == Problem::kTranspose && gpu_->cublas() != nullptr;
  return transposes ? "cuBLAS Sgeam" : "";
}

Status ReferenceWork::queue_other() const {
  const Argument& in = *in_.argument;
  return gpu_->cublas()->transpose({.rows = extent(in.rows),
                                    .cols = extent(in.cols),
                                    .in = in_.pristine->buffer.data(),
                                    .out = result_->data(),
                                    .leading_in = extent(in.leading),
                                    .leading_out = extent(out_.argument->leading)});
}

Result<ReferenceWork::Comparison> ReferenceWork::compare(KnownResult& known) const {
  return gemm_ ? compare_gemm(known) : compare_elements();
}

// cuBLAS computes it once per set of operands, from C's first contents.
Status ReferenceWork::know(KnownResult& known) const {
  KnownResult wanted;
  for (const auto* operand : {&a_, &b_, &c_}) {
    const Argument& argument = *operand->argument;
    wanted.recipes.push_back(argument.buffer);
    if (operand->pristine != nullptr) wanted.shape.push_back(operand->pristine->file_hash);
    for (const auto part : {argument.rows, argument.cols, argument.leading}) {
      wanted.shape.push_back(part);
    }
  }
  wanted.scalars = {gemm_->alpha, gemm_->beta};
  if (known.recipes == wanted.recipes && known.shape == wanted.shape &&
      known.scalars == wanted.scalars) {
    return ok_status();
  }
  known = KnownResult{};
  Status prepared = c_.pristine != nullptr ? result_->queue_copy_from(c_.pristine->buffer)
                                           : result_->queue_set(0);
  if (!prepared) return prepared;
  if (Status s = multiply(); !s) return s;
  if (Status s = gpu_->finish("cuBLAS"); !s) return s;
  wanted.values = floats_for(*result_);
  if (Status s = result_->download(std::as_writable_bytes(std::span(wanted.values))); !s) return s;
  known = std::move(wanted);
  return ok_status();
}

Result<ReferenceWork::Comparison> ReferenceWork::compare_gemm(KnownResult& known) const {
  if (Status s = know(known); !s) return s.error();
  std::vector<float> got = floats_for(*c_.buffer);
  if (Status s = c_.buffer->download(std::as_writable_bytes(std::span(got))); !s) return s.error();
  GemmScale scale;
  scale.k = a_.argument->cols;
  scale.alpha = static_cast<double>(gemm_->alpha);
  scale.beta = static_cast<double>(gemm_->beta);
  scale.a = a_.pristine->statistics;
  scale.b = b_.pristine->statistics;
  if (c_.pristine != nullptr) scale.c = c_.pristine->statistics;
  return Comparison{
      largest_difference(matrix(*c_.argument, got), matrix(*c_.argument, known.values)),
      gemm_tolerance(scale)};
}

Result<ReferenceWork::Comparison> ReferenceWork::compare_elements() const {
  std::vector<float> in = floats_for(in_.pristine->buffer);
  std::vector<float> out = floats_for(*out_.buffer);
  if (Status s = in_.pristine->buffer.download(std::as_writable_bytes(std::span(in))); !s) {
    return s.error();
  }
  if (Status s = out_.buffer->download(std::as_writable_bytes(std::span(out))); !s)
    return s.error();
  const MatrixSpan from = matrix(*in_.argument, in);
  const MatrixSpan to = matrix(*out_.argument, out);
  switch (problem_) {
    case Problem::kTranspose:
      return Comparison{transpose_difference(from, to), 0.0};
    case Problem::kElementwise:
      return Comparison{element_difference(*elements_, from, to), 0.0};
    default:
      return Comparison{copy_difference(from, to), 0.0};
  }
}

}  // namespace tilescope
