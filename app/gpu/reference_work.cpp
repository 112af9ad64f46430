#include "gpu/reference_work.h"

#include <span>
#include <utility>

namespace tilescope {
namespace {

std::vector<float> floats_for(const DeviceBuffer& buffer) {
  return std::vector<float>(buffer.bytes() / sizeof(float));
}

MatrixSpan matrix(const Argument& argument, const std::vector<float>& values) {
  return {values.data(), argument.rows, argument.cols, argument.leading};
}

std::int64_t extent(std::uint64_t value) { return static_cast<std::int64_t>(value); }

bool all_floats(std::initializer_list<const LaunchBuffers::Operand*> operands) {
  for (const LaunchBuffers::Operand* operand : operands) {
    if (operand->argument->type != ElementType::kF32) return false;
  }
  return true;
}

// A is m x k, B k x n, C m x n: what the catalogue says must fit together before cuBLAS reads it.
bool is_product(const Argument& a, const Argument& b, const Argument& c) {
  return a.rows == c.rows && a.cols == b.rows && b.cols == c.cols && c.rows * c.cols > 0;
}

}  // namespace

Result<std::optional<ReferenceWork>> ReferenceWork::make(const GpuDevice& gpu,
                                                         const RunMessage& run,
                                                         const LaunchBuffers& buffers) {
  const KernelInstance& instance = run.request.instance;
  const auto a = buffers.find(Role::kA);
  const auto b = buffers.find(Role::kB);
  const auto c = buffers.find(Role::kC);
  const auto in = buffers.find(Role::kIn);
  const auto out = buffers.find(Role::kOut);
  const bool gemm = instance.problem == Problem::kGemm && gpu.cublas() != nullptr && a && b && c &&
                    all_floats({&*a, &*b, &*c}) && a->pristine != nullptr &&
                    b->pristine != nullptr && is_product(*a->argument, *b->argument, *c->argument);
  const bool transpose = instance.problem == Problem::kTranspose && in && out &&
                         all_floats({&*in, &*out}) && in->pristine != nullptr &&
                         in->argument->rows == out->argument->cols &&
                         in->argument->cols == out->argument->rows;
  if (!gemm && !transpose) return std::optional<ReferenceWork>();

  auto result = DeviceBuffer::allocate(gpu, gemm ? c->buffer->bytes() : out->buffer->bytes());
  if (!result) return result.error();
  ReferenceWork work(gpu, gemm ? "cuBLAS SGEMM, FP32" : "device copy", *std::move(result));
  if (transpose) {
    work.in_ = *in;
    work.out_ = *out;
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
                            .c = work.result_.data(),
                            .leading_a = extent(a->argument->leading),
                            .leading_b = extent(b->argument->leading),
                            .leading_c = extent(c->argument->leading)};
  return std::optional(std::move(work));
}

Status ReferenceWork::queue() const {
  if (gemm_) return gpu_->cublas()->sgemm(*gemm_);
  return result_.queue_copy_from(in_.pristine->buffer);
}

Result<ReferenceWork::Comparison> ReferenceWork::compare(KnownResult& known) const {
  return gemm_ ? compare_gemm(known) : compare_transpose();
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
  Status prepared =
      c_.pristine != nullptr ? result_.queue_copy_from(c_.pristine->buffer) : result_.queue_set(0);
  if (!prepared) return prepared;
  if (Status s = gpu_->cublas()->sgemm(*gemm_); !s) return s;
  if (Status s = gpu_->finish("cuBLAS"); !s) return s;
  wanted.values = floats_for(result_);
  if (Status s = result_.download(std::as_writable_bytes(std::span(wanted.values))); !s) return s;
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

Result<ReferenceWork::Comparison> ReferenceWork::compare_transpose() const {
  std::vector<float> in = floats_for(in_.pristine->buffer);
  std::vector<float> out = floats_for(*out_.buffer);
  if (Status s = in_.pristine->buffer.download(std::as_writable_bytes(std::span(in))); !s) {
    return s.error();
  }
  if (Status s = out_.buffer->download(std::as_writable_bytes(std::span(out))); !s)
    return s.error();
  return Comparison{transpose_difference(matrix(*in_.argument, in), matrix(*out_.argument, out)),
                    0.0};
}

}  // namespace tilescope
