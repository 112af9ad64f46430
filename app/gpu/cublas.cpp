#include "gpu/cublas.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/cuda_folders.h"

namespace tilescope {
namespace {

constexpr int kFloat = 0;              // CUDA_R_32F
constexpr int kBfloat16 = 14;          // CUDA_R_16BF
constexpr int kComputeInFloat = 68;    // CUBLAS_COMPUTE_32F
constexpr int kDefaultAlgorithm = -1;  // CUBLAS_GEMM_DEFAULT
constexpr int kPedanticMath = 2;       // CUBLAS_PEDANTIC_MATH: no TF32, no reordering below FP32

constexpr int kTransposed = 1;  // CUBLAS_OP_T

}  // namespace

Result<Cublas> Cublas::open(CUstream stream) {
  // Its own dependency first: then it is found by name, wherever it lies.
  std::optional<SharedLibrary> companion;
  std::optional<SharedLibrary> library;
  for (const std::string major : {"13", "12"}) {
    auto lt = SharedLibrary::open({"libcublasLt.so." + major}, cuda_library_folders());
    auto blas = SharedLibrary::open({"libcublas.so." + major}, cuda_library_folders());
    if (!blas) continue;
    if (lt) companion.emplace(*std::move(lt));
    library.emplace(*std::move(blas));
    break;
  }
  if (!library) {
    return Error{ErrorCode::kMachine,
                 "neither libcublas.so.13 nor libcublas.so.12 is installed",
                 "Install the CUDA toolkit, or name the library's folder in "
                 "TILESCOPE_CUDA_LIBRARIES",
                 {}};
  }
  Functions functions;
  const bool complete = library->find("cublasCreate_v2", &functions.create) &&
                        library->find("cublasDestroy_v2", &functions.destroy) &&
                        library->find("cublasGetVersion_v2", &functions.get_version) &&
                        library->find("cublasSetStream_v2", &functions.set_stream) &&
                        library->find("cublasSetMathMode", &functions.set_math_mode) &&
                        library->find("cublasGetStatusString", &functions.status_string) &&
                        library->find("cublasSgemm_v2", &functions.sgemm) &&
                        library->find("cublasGemmEx", &functions.gemm_ex) &&
                        library->find("cublasSgeam", &functions.sgeam);
  if (!complete) {
    return Error{
        ErrorCode::kMachine, fmt::format("{} lacks a function", library->file().string()), "", {}};
  }
  Cublas cublas(std::move(companion), *std::move(library), functions);
  if (Status made = cublas.check(functions.create(&cublas.handle_), "start"); !made) {
    return made.error();
  }
  for (const Status& step :
       {cublas.check(functions.set_stream(cublas.handle_, stream), "take a stream"),
        cublas.check(functions.set_math_mode(cublas.handle_, kPedanticMath), "compute in FP32")}) {
    if (!step) return step.error();
  }
  int version = 0;
  functions.get_version(cublas.handle_, &version);
  cublas.version_ = fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  return cublas;
}

Cublas::Cublas(Cublas&& other) noexcept
    : companion_(std::move(other.companion_)),
      library_(std::move(other.library_)),
      functions_(other.functions_),
      handle_(std::exchange(other.handle_, nullptr)),
      version_(std::move(other.version_)) {}

Cublas::~Cublas() {
  if (handle_ != nullptr) functions_.destroy(handle_);
}

Status Cublas::check(StatusCode status, const char* what) const {
  if (status == 0) return ok_status();
  return Error{ErrorCode::kMachine,
               fmt::format("cuBLAS cannot {}: {}", what, functions_.status_string(status)),
               "",
               {}};
}

namespace {

Status check_extents(std::initializer_list<std::int64_t> extents) {
  if (std::max(extents) <= std::numeric_limits<int>::max()) return ok_status();
  return Error{
      ErrorCode::kUsage, "the matrices are too large for cuBLAS", "Use a smaller size", {}};
}

Status check_extents(const Cublas::Gemm& gemm) {
  return check_extents({gemm.m, gemm.n, gemm.k, gemm.leading_a, gemm.leading_b, gemm.leading_c});
}

int as_int(std::int64_t value) { return static_cast<int>(value); }

}  // namespace

// cuBLAS is column-major: a row-major C is its transpose, C^T = B^T A^T.
Status Cublas::sgemm(const Gemm& gemm) const {
  if (Status fits = check_extents(gemm); !fits) return fits;
  return check(functions_.sgemm(handle_, 0, 0, as_int(gemm.n), as_int(gemm.m), as_int(gemm.k),
                                &gemm.alpha, gemm.b, as_int(gemm.leading_b), gemm.a,
                                as_int(gemm.leading_a), &gemm.beta, gemm.c, as_int(gemm.leading_c)),
               "multiply");
}

Status Cublas::bf16_gemm(const Gemm& gemm) const {
  if (Status fits = check_extents(gemm); !fits) return fits;
  return check(functions_.gemm_ex(handle_, 0, 0, as_int(gemm.n), as_int(gemm.m), as_int(gemm.k),
                                  &gemm.alpha, gemm.b, kBfloat16, as_int(gemm.leading_b), gemm.a,
                                  kBfloat16, as_int(gemm.leading_a), &gemm.beta, gemm.c, kFloat,
                                  as_int(gemm.leading_c), kComputeInFloat, kDefaultAlgorithm),
               "multiply bf16");
}

// A row-major matrix is a column-major one turned over, before and after.
Status Cublas::transpose(const Transpose& transpose) const {
  const auto& [rows, cols, in, out, leading_in, leading_out] = transpose;
  if (Status fits = check_extents({rows, cols, leading_in, leading_out}); !fits) return fits;
  const float one = 1;
  const float zero = 0;
  return check(functions_.sgeam(handle_, kTransposed, 0, as_int(rows), as_int(cols), &one, in,
                                as_int(leading_in), &zero, out, as_int(leading_out), out,
                                as_int(leading_out)),
               "transpose");
}

}  // namespace tilescope
