#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/result.h"
#include "core/shared_library.h"
#include "gpu/cuda_driver.h"

namespace tilescope {

// cuBLAS, the reference of every GEMM: SGEMM in strict FP32, or bf16 operands with FP32 sums. The
// few prototypes it needs are declared here (cublas_v2.h of CUDA 12 and 13 agree on them), so the
// build needs no cuBLAS.
class Cublas {
 public:
  // Loads libcublas 13 or 12 and makes a handle on the current context that works in `stream`.
  [[nodiscard]] static Result<Cublas> open(CUstream stream);
  ~Cublas();
  Cublas(Cublas&& other) noexcept;
  Cublas& operator=(Cublas&&) = delete;

  [[nodiscard]] const std::string& version() const { return version_; }  // "13.1.0"

  // Row-major C = alpha A B + beta C; A is m x k, B is k x n. Leading dimensions in elements.
  struct Gemm {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    float alpha = 1;
    float beta = 0;
    CUdeviceptr a = 0;
    CUdeviceptr b = 0;
    CUdeviceptr c = 0;
    std::int64_t leading_a = 0;
    std::int64_t leading_b = 0;
    std::int64_t leading_c = 0;
  };
  // Queues it with A, B and C in FP32. Fails for extents above 2^31 - 1 too.
  [[nodiscard]] Status sgemm(const Gemm& gemm) const;
  // The same with A and B in bf16, summed in FP32.
  [[nodiscard]] Status bf16_gemm(const Gemm& gemm) const;

  // Row-major FP32: `in` is rows x cols, `out` cols x rows.
  struct Transpose {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    CUdeviceptr in = 0;
    CUdeviceptr out = 0;
    std::int64_t leading_in = 0;
    std::int64_t leading_out = 0;
  };
  // Queues cublasSgeam.
  [[nodiscard]] Status transpose(const Transpose& transpose) const;

 private:
  using Handle = struct cublasContext*;
  using StatusCode = int;   // cublasStatus_t, 0 is success
  using Operation = int;    // cublasOperation_t, 0 is "not transposed"
  using DataType = int;     // cudaDataType_t
  using ComputeType = int;  // cublasComputeType_t
  struct Functions {
    StatusCode (*create)(Handle*) = nullptr;
    StatusCode (*destroy)(Handle) = nullptr;
    StatusCode (*get_version)(Handle, int*) = nullptr;
    StatusCode (*set_stream)(Handle, CUstream) = nullptr;
    StatusCode (*set_math_mode)(Handle, int) = nullptr;
    const char* (*status_string)(StatusCode) = nullptr;
    // Its matrices are device pointers; the driver API keeps them as integers of the same size.
    StatusCode (*sgemm)(Handle, Operation, Operation, int, int, int, const float*, CUdeviceptr, int,
                        CUdeviceptr, int, const float*, CUdeviceptr, int) = nullptr;
    StatusCode (*gemm_ex)(Handle, Operation, Operation, int, int, int, const void*, CUdeviceptr,
                          DataType, int, CUdeviceptr, DataType, int, const void*, CUdeviceptr,
                          DataType, int, ComputeType, int algorithm) = nullptr;
    StatusCode (*sgeam)(Handle, Operation, Operation, int, int, const float*, CUdeviceptr, int,
                        const float*, CUdeviceptr, int, CUdeviceptr, int) = nullptr;
  };
  Cublas(std::optional<SharedLibrary> companion, SharedLibrary library, Functions functions)
      : companion_(std::move(companion)), library_(std::move(library)), functions_(functions) {}
  [[nodiscard]] Status check(StatusCode status, const char* what) const;

  std::optional<SharedLibrary> companion_;  // libcublasLt
  SharedLibrary library_;
  Functions functions_;
  Handle handle_ = nullptr;
  std::string version_;
};

}  // namespace tilescope
