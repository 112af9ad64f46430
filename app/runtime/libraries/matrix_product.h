#pragma once
#include <cstddef>

// Matrix products on the CPU, as the stand-ins for cuBLAS and cuBLASLt compute them: plain loops,
// sums in float, or in double where that is asked for.
namespace tilescope::runtime::blas {

using Status = int;  // cublasStatus_t
inline constexpr Status kSuccess = 0;
inline constexpr Status kInvalidValue = 7;
inline constexpr Status kExecutionFailed = 13;
inline constexpr Status kNotSupported = 15;
[[nodiscard]] inline const char* status_name(Status status) {  // of another one: not supported
  switch (status) {
    case kSuccess:
      return "CUBLAS_STATUS_SUCCESS";
    case kInvalidValue:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case kExecutionFailed:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    default:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
  }
}

enum class Type : int {
  kF32 = 0,
  kF64 = 1,
  kF16 = 2,
  kI8 = 3,
  kI32 = 10,
  kBf16 = 14
};                                             // cudaDataType
[[nodiscard]] std::size_t size_of(Type type);  // bytes of an element
[[nodiscard]] bool is_known(Type type);
// The element of that index; rounded to nearest even where it is stored. Precondition: is_known().
[[nodiscard]] double load(const void* from, std::size_t index, Type type);
void store(void* to, std::size_t index, Type type, double value);

// op(X) of a matrix that lies column by column, `leading` elements apart.
struct Matrix {
  const void* data = nullptr;
  Type type = Type::kF32;
  std::size_t leading = 0;
  bool is_transposed = false;
  std::size_t rows = 0, columns = 0;  // of op(X)

  [[nodiscard]] std::size_t bytes() const {
    const std::size_t last = is_transposed ? rows : columns;
    const std::size_t first = is_transposed ? columns : rows;
    return last == 0 || first == 0 ? 0 : ((last - 1) * leading + first) * size_of(type);
  }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return load(data, is_transposed ? column + row * leading : row + column * leading, type);
  }
};

// C = alpha op(A) op(B) + beta C, C column by column. `wide`: sums in double.
void product(const Matrix& a, const Matrix& b, void* c, Type c_type, std::size_t leading,
             double alpha, double beta, bool wide);

}  // namespace tilescope::runtime::blas
