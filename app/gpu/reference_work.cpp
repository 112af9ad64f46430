#include "gpu/reference_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "kernel/launch/gemm_factors.h"
#include "kernel/launch/kernel_reference.h"

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
bool can_compare(ReferenceKind kind, const LaunchBuffers::Operand& in,
                 const LaunchBuffers::Operand& out) {
  const ElementType type = kind == ReferenceKind::kElements ? ElementType::kI32 : ElementType::kF32;
  const bool turned = kind == ReferenceKind::kTranspose;
  return has_type(in, type) && has_type(out, type) && in.pristine != nullptr &&
         in.argument->rows == (turned ? out.argument->cols : out.argument->rows) &&
         in.argument->cols == (turned ? out.argument->rows : out.argument->cols);
}

}  // namespace

Result<std::optional<ReferenceWork>> ReferenceWork::make(const Tools& tools, const RunMessage& run,
                                                         const LaunchBuffers& buffers,
                                                         std::optional<DeviceBuffer>* result) {
  const std::optional<Problem>& problem = run.request.instance.problem;
  if (!problem) return std::optional<ReferenceWork>();
  ReferenceWork work(tools, run, buffers);
  Status taken = ok_status();
  switch ((*problem)->reference) {
    case ReferenceKind::kNone:
      break;
    case ReferenceKind::kProduct:
      taken = work.take_product(result);
      break;
    case ReferenceKind::kTranspose:
    case ReferenceKind::kCopy:
    case ReferenceKind::kElements:
      taken = work.take_elements(result);
      break;
    case ReferenceKind::kKernel:
      taken = work.take_kernel(result);
      break;
  }
  if (!taken) return taken.error();
  if (work.kind_ == ReferenceKind::kNone) return std::optional<ReferenceWork>();
  return std::optional(std::move(work));
}

Status ReferenceWork::hold(std::uint64_t bytes, std::optional<DeviceBuffer>* result) {
  if (!*result || (*result)->bytes() != bytes) {
    result->reset();
    auto made = DeviceBuffer::allocate(*gpu_, bytes);
    if (!made) return made.error();
    result->emplace(*std::move(made));
  }
  result_ = &**result;
  return ok_status();
}

Status ReferenceWork::take_product(std::optional<DeviceBuffer>* result) {
  const KernelInstance& instance = run_->request.instance;
  const auto a = buffers_->find(Role::kA);
  const auto b = buffers_->find(Role::kB);
  const auto c = buffers_->find(Role::kC);
  if (gpu_->cublas() == nullptr || !a || !b || !c || !can_multiply(*a, *b, *c)) return ok_status();
  if (Status s = hold(c->buffer->bytes(), result); !s) return s;
  bf16_ = has_type(*a, ElementType::kBf16);
  name_ = bf16_ ? "cuBLAS GemmEx, bf16 to FP32" : "cuBLAS SGEMM, FP32";
  a_ = *a;
  b_ = *b;
  c_ = *c;
  gemm_ = Cublas::Gemm{.m = extent(c->argument->rows),
                       .n = extent(c->argument->cols),
                       .k = extent(a->argument->cols),
                       .alpha = scalar_argument(instance, "alpha", 1.0f),
                       .beta = scalar_argument(instance, "beta", 0.0f),
                       .a = a->pristine->buffer.data(),
                       .b = b->pristine->buffer.data(),
                       .c = result_->data(),
                       .leading_a = extent(a->argument->leading),
                       .leading_b = extent(b->argument->leading),
                       .leading_c = extent(c->argument->leading)};
  kind_ = ReferenceKind::kProduct;
  return ok_status();
}

Status ReferenceWork::take_elements(std::optional<DeviceBuffer>* result) {
  const KernelInstance& instance = run_->request.instance;
  const ReferenceKind kind = (*instance.problem)->reference;
  const auto in = buffers_->find(Role::kIn);
  const auto out = buffers_->find(Role::kOut);
  if (!in || !out || !can_compare(kind, *in, *out)) return ok_status();
  in_ = *in;
  out_ = *out;
  kind_ = kind;
  if (kind == ReferenceKind::kElements) {
    auto reference = ElementReference::make(instance);
    if (!reference) return std::move(reference).error();
    elements_ = *std::move(reference);
    return take_copy(result);
  }
  if (Status s = hold(out->buffer->bytes(), result); !s) return s;
  copied_ = &in->pristine->buffer;
  name_ = "device copy";
  return ok_status();
}

Status ReferenceWork::take_kernel(std::optional<DeviceBuffer>* result) {
  const RunRequest& request = run_->request;
  if (request.instance.reference_kernel == nullptr || request.reference_compiled == nullptr) {
    return ok_status();
  }
  kind_ = ReferenceKind::kKernel;
  if (request.instance.rated_in_flop()) return ok_status();
  return take_copy(result);
}

Status ReferenceWork::take_copy(std::optional<DeviceBuffer>* result) {
  // A copy reads and writes each byte: half of what the problem moves.
  const auto half = static_cast<std::uint64_t>(problem_cost(run_->request.instance).bytes / 2);
  for (const LaunchBuffers::Operand& operand : buffers_->operands()) {
    if (operand.pristine == nullptr || operand.argument->written) continue;
    if (copied_ == nullptr || operand.pristine->buffer.bytes() > copied_->bytes()) {
      copied_ = &operand.pristine->buffer;
    }
  }
  // Beside a small output or table the input may be a little shorter than that.
  if (copied_ == nullptr ||
      static_cast<double>(copied_->bytes()) < 0.99 * static_cast<double>(half)) {
    return ok_status();
  }
  if (Status s = hold(std::min(half, copied_->bytes()), result); !s) return s;
  name_ = "device copy";
  return ok_status();
}

Status ReferenceWork::multiply() const {
  return bf16_ ? gpu_->cublas()->bf16_gemm(*gemm_) : gpu_->cublas()->sgemm(*gemm_);
}

Status ReferenceWork::queue() const {
  if (gemm_) return multiply();
  return result_->queue_copy_from(*copied_);
}

std::string ReferenceWork::other_name() const {
  const bool transposes = kind_ == ReferenceKind::kTranspose && gpu_->cublas() != nullptr;
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
  if (kind_ == ReferenceKind::kKernel) return compare_kernel(known);
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
  if (known.kernel.empty() && known.recipes == wanted.recipes && known.shape == wanted.shape &&
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
  switch (kind_) {
    case ReferenceKind::kTranspose:
      return Comparison{transpose_difference(from, to), 0.0};
    case ReferenceKind::kElements:
      return Comparison{element_difference(*elements_, from, to), 0.0};
    default:
      return Comparison{copy_difference(from, to), 0.0};
  }
}

// Launches it once on buffers of its own.
Status ReferenceWork::run_kernel(KnownResult& known) const {
  const KernelInstance& instance = *run_->request.instance.reference_kernel;
  KnownResult wanted;
  wanted.kernel = instance.id;
  for (const auto& [name, value] : instance.parameters) {
    wanted.kernel += fmt::format(" {}={}", name, value);
  }
  for (const Argument& argument : instance.arguments) {
    wanted.recipes.push_back(argument.buffer);
    wanted.shape.push_back(argument.bits);
  }
  if (known.kernel == wanted.kernel && known.recipes == wanted.recipes &&
      known.shape == wanted.shape) {
    return ok_status();
  }
  known = KnownResult{};
  RunMessage run;
  run.request.instance = instance;
  run.request.compiled = run_->request.reference_compiled;
  ScratchBuffers scratch;
  auto buffers = LaunchBuffers::make(*gpu_, run, *cache_, scratch);
  if (!buffers) return buffers.error();
  auto kernel = KernelModule::load(*gpu_, run.request, buffers->pointers(), modules_);
  if (!kernel) return kernel.error();
  if (Status s = buffers->queue_preparation(); !s) return s;
  if (Status s = kernel->launch(); !s) return s;
  if (Status s = gpu_->finish(instance.id); !s) return s;
  for (const LaunchBuffers::Operand& operand : buffers->operands()) {
    std::vector<std::byte>& contents = wanted.contents.emplace_back();
    if (!operand.argument->written) continue;
    contents.resize(operand.buffer->bytes());
    if (Status s = operand.buffer->download(contents); !s) return s;
  }
  known = std::move(wanted);
  return ok_status();
}

Result<ReferenceWork::Comparison> ReferenceWork::compare_kernel(KnownResult& known) const {
  if (Status s = run_kernel(known); !s) return s.error();
  ReferenceDifference difference(rounding_tolerance(run_->request.instance));
  for (const LaunchBuffers::Operand& got : buffers_->operands()) {
    if (!got.argument->written) continue;
    std::vector<std::byte> contents(got.buffer->bytes());
    if (Status s = got.buffer->download(contents); !s) return s.error();
    std::size_t buffer = 0;
    for (const Argument& want : run_->request.instance.reference_kernel->arguments) {
      if (!want.is_pointer) continue;
      if (want.written && want.operand == got.argument->operand) {
        difference.add({got.argument, contents}, {&want, known.contents[buffer]});
      }
      ++buffer;
    }
  }
  return Comparison{difference.max_error(), difference.tolerance()};
}

}  // namespace tilescope
