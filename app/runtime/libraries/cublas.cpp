#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "runtime/device_access.h"
#include "runtime/libraries/matrix_product.h"

// The part of cuBLAS that programs compare their own kernels with, on the CPU: plain loops, sums in
// the type that cuBLAS computes in.
namespace {

using namespace tilescope::runtime::blas;

struct Handle {
  void* stream = nullptr;
  int pointer_mode = 0;  // scalars: 0 on the host, 1 on the device
  int math_mode = 0;
  int atomics_mode = 0;
};

// A scalar of the caller's, where the handle says it lies.
double scalar(const Handle* handle, const void* pointer, Type type) {
  const void* place =
      handle->pointer_mode == 0 ? pointer : cudaTilescopePlace(pointer, size_of(type), 0);
  return place == nullptr ? 0 : load(place, 0, type);
}

struct Gemm {
  int transpose_a = 0, transpose_b = 0;
  int m = 0, n = 0, k = 0;
  double alpha = 1, beta = 0;
  const void* a = nullptr;
  Type a_type = Type::kF32;
  int lda = 0;
  long long stride_a = 0;
  const void* b = nullptr;
  Type b_type = Type::kF32;
  int ldb = 0;
  long long stride_b = 0;
  void* c = nullptr;
  Type c_type = Type::kF32;
  int ldc = 0;
  long long stride_c = 0;
  int batches = 1;
};
Status gemm(const Gemm& g) {
  if (!is_known(g.a_type) || !is_known(g.b_type) || !is_known(g.c_type)) {
    cudaTilescopeMissing("a matrix product of this data type in cuBLAS");
    return kNotSupported;
  }
  if (g.m < 0 || g.n < 0 || g.k < 0 || g.ldc < std::max(1, g.m)) return kInvalidValue;
  if (g.m == 0 || g.n == 0) return kSuccess;
  const auto m = static_cast<std::size_t>(g.m);
  const auto n = static_cast<std::size_t>(g.n);
  const auto k = static_cast<std::size_t>(g.k);
  for (int batch = 0; batch < g.batches; ++batch) {
    const auto moved = [&](const void* base, long long stride, Type type) {
      return static_cast<const char*>(base) +
             stride * batch * static_cast<long long>(size_of(type));
    };
    Matrix a{moved(g.a, g.stride_a, g.a_type),
             g.a_type,
             static_cast<std::size_t>(g.lda),
             g.transpose_a != 0,
             m,
             k};
    Matrix b{moved(g.b, g.stride_b, g.b_type),
             g.b_type,
             static_cast<std::size_t>(g.ldb),
             g.transpose_b != 0,
             k,
             n};
    const std::size_t c_bytes = ((n - 1) * static_cast<std::size_t>(g.ldc) + m) * size_of(g.c_type);
    a.data = cudaTilescopePlace(a.data, a.bytes(), 0);
    b.data = cudaTilescopePlace(b.data, b.bytes(), 0);
    void* c = cudaTilescopePlace(moved(g.c, g.stride_c, g.c_type), c_bytes, 1);
    if (a.data == nullptr || b.data == nullptr || c == nullptr) return kExecutionFailed;
    const bool wide = g.a_type == Type::kF64 || g.c_type == Type::kI32;
    const auto leading = static_cast<std::size_t>(g.ldc);
    product(a, b, c, g.c_type, leading, g.alpha, g.beta, wide);
  }
  const double flop = 2.0 * static_cast<double>(m * n) * static_cast<double>(k) * g.batches;
  const double rate = cudaTilescopePeak() * (g.a_type == Type::kF32   ? 0.8
                                             : g.a_type == Type::kF64 ? 0.4
                                                                      : 8.0);
  cudaTilescopeSpend(5e-6 + flop / rate);
  return kSuccess;
}

// A vector of the caller's; elements that lie `step` apart.
struct Vector {
  void* data = nullptr;
  Type type = Type::kF32;
  std::ptrdiff_t step = 1;
  std::size_t count = 0;

  [[nodiscard]] std::size_t at(std::size_t i) const {
    const auto index = static_cast<std::ptrdiff_t>(i);
    const auto last = static_cast<std::ptrdiff_t>(count) - 1;
    return static_cast<std::size_t>(step >= 0 ? index * step : (index - last) * step);
  }
  [[nodiscard]] double get(std::size_t i) const { return load(data, at(i), type); }
  void set(std::size_t i, double value) const { store(data, at(i), type, value); }
};
Vector vector_at(const void* pointer, Type type, int count, int step, bool writes) {
  const auto elements = static_cast<std::size_t>(std::max(count, 0));
  const std::size_t bytes =
      elements == 0
          ? 0
          : ((elements - 1) * static_cast<std::size_t>(std::abs(step)) + 1) * size_of(type);
  return {cudaTilescopePlace(pointer, bytes, writes ? 1 : 0), type, step, elements};
}

Status give(const Handle* handle, void* result, Type type, double value) {
  void* place = handle->pointer_mode == 0 ? result : cudaTilescopePlace(result, size_of(type), 1);
  if (place == nullptr) return kExecutionFailed;
  store(place, 0, type, value);
  return kSuccess;
}

Handle* of(void* handle) { return static_cast<Handle*>(handle); }

template <Type kType>
Status axpy(void* h, int n, const void* alpha, const void* x, int incx, void* y, int incy) {
  const double factor = scalar(of(h), alpha, kType);
  const Vector from = vector_at(x, kType, n, incx, false);
  const Vector to = vector_at(y, kType, n, incy, true);
  if (from.data == nullptr || to.data == nullptr) return kExecutionFailed;
  for (std::size_t i = 0; i < from.count; ++i) to.set(i, to.get(i) + factor * from.get(i));
  return kSuccess;
}
template <Type kType>
Status scal(void* h, int n, const void* alpha, void* x, int incx) {
  const double factor = scalar(of(h), alpha, kType);
  const Vector to = vector_at(x, kType, n, incx, true);
  if (to.data == nullptr) return kExecutionFailed;
  for (std::size_t i = 0; i < to.count; ++i) to.set(i, factor * to.get(i));
  return kSuccess;
}
template <Type kType>
Status copy(int n, const void* x, int incx, void* y, int incy) {
  const Vector from = vector_at(x, kType, n, incx, false);
  const Vector to = vector_at(y, kType, n, incy, true);
  if (from.data == nullptr || to.data == nullptr) return kExecutionFailed;
  for (std::size_t i = 0; i < from.count; ++i) to.set(i, from.get(i));
  return kSuccess;
}
template <Type kType>
Status dot(void* h, int n, const void* x, int incx, const void* y, int incy, void* result) {
  const Vector a = vector_at(x, kType, n, incx, false);
  const Vector b = vector_at(y, kType, n, incy, false);
  if (a.data == nullptr || b.data == nullptr) return kExecutionFailed;
  double sum = 0;
  for (std::size_t i = 0; i < a.count; ++i) sum += a.get(i) * b.get(i);
  return give(of(h), result, kType, sum);
}
enum class Norm : int { kTwo, kOne, kLargest };
template <Type kType, Norm kNorm>
Status norm(void* h, int n, const void* x, int incx, void* result) {
  const Vector a = vector_at(x, kType, n, incx, false);
  if (a.data == nullptr) return kExecutionFailed;
  double sum = 0;
  double largest = -1;
  std::size_t where = 0;
  for (std::size_t i = 0; i < a.count; ++i) {
    const double value = std::abs(a.get(i));
    sum += kNorm == Norm::kTwo ? value * value : value;
    if (value > largest) {
      largest = value;
      where = i;
    }
  }
  if (kNorm == Norm::kLargest)  // counts from 1
    return give(of(h), result, Type::kI32, a.count == 0 ? 0 : static_cast<double>(where + 1));
  return give(of(h), result, kType, kNorm == Norm::kTwo ? std::sqrt(sum) : sum);
}
template <Type kType>
Status gemv(void* h, int transpose, int m, int n, const void* alpha, const void* a, int lda,
            const void* x, int incx, const void* beta, void* y, int incy) {
  const auto rows = static_cast<std::size_t>(transpose != 0 ? n : m);
  const auto columns = static_cast<std::size_t>(transpose != 0 ? m : n);
  Matrix matrix{a, kType, static_cast<std::size_t>(lda), transpose != 0, rows, columns};
  matrix.data = cudaTilescopePlace(a, matrix.bytes(), 0);
  const Vector from = vector_at(x, kType, static_cast<int>(columns), incx, false);
  const Vector to = vector_at(y, kType, static_cast<int>(rows), incy, true);
  if (matrix.data == nullptr || from.data == nullptr || to.data == nullptr) return kExecutionFailed;
  const double alpha_value = scalar(of(h), alpha, kType);
  const double beta_value = scalar(of(h), beta, kType);
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < columns; ++j) sum += matrix.at(i, j) * from.get(j);
    to.set(i, alpha_value * sum + (beta_value == 0 ? 0 : beta_value * to.get(i)));
  }
  cudaTilescopeSpend(5e-6);
  return kSuccess;
}
template <Type kType>
Status strided_gemm(void* h, int ta, int tb, int m, int n, int k, const void* alpha, const void* a,
                    int lda, long long sa, const void* b, int ldb, long long sb, const void* beta,
                    void* c, int ldc, long long sc, int batches) {
  return gemm({ta,
               tb,
               m,
               n,
               k,
               scalar(of(h), alpha, kType),
               scalar(of(h), beta, kType),
               a,
               kType,
               lda,
               sa,
               b,
               kType,
               ldb,
               sb,
               c,
               kType,
               ldc,
               sc,
               batches});
}
template <Type kType>
Status plain_gemm(void* h, int ta, int tb, int m, int n, int k, const void* alpha, const void* a,
                  int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {
  return strided_gemm<kType>(h, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
}
// The matrices lie where arrays in device memory say.
Status batched_gemm(Gemm g, const void* const* a, const void* const* b, void* const* c,
                    int batches) {
  if (batches < 0) return kInvalidValue;
  const auto bytes = static_cast<std::size_t>(batches) * sizeof(void*);
  const auto pointers = [&](const void* array) {
    return static_cast<const void* const*>(cudaTilescopePlace(array, bytes, 0));
  };
  const void* const* lefts = pointers(a);
  const void* const* rights = pointers(b);
  const void* const* results = pointers(c);
  if (lefts == nullptr || rights == nullptr || results == nullptr) return kExecutionFailed;
  for (int i = 0; i < batches; ++i) {
    g.a = lefts[i];
    g.b = rights[i];
    g.c = const_cast<void*>(results[i]);
    if (const Status status = gemm(g); status != kSuccess) return status;
  }
  return kSuccess;
}
template <Type kType>
Status pointers_gemm(void* h, int ta, int tb, int m, int n, int k, const void* alpha,
                     const void* const* a, int lda, const void* const* b, int ldb, const void* beta,
                     void* const* c, int ldc, int batches) {
  const double factor = scalar(of(h), alpha, kType);
  const double before = scalar(of(h), beta, kType);
  Gemm g{ta, tb, m, n, k, factor, before};
  g.a_type = g.b_type = g.c_type = kType;
  g.lda = lda;
  g.ldb = ldb;
  g.ldc = ldc;
  return batched_gemm(g, a, b, c, batches);
}
// C = alpha op(A) + beta op(B)
template <Type kType>
Status geam(void* h, int ta, int tb, int m, int n, const void* alpha, const void* a, int lda,
            const void* beta, const void* b, int ldb, void* c, int ldc) {
  if (m < 0 || n < 0 || ldc < std::max(1, m)) return kInvalidValue;
  const auto rows = static_cast<std::size_t>(m);
  const auto columns = static_cast<std::size_t>(n);
  const auto leading = static_cast<std::size_t>(ldc);
  if (rows == 0 || columns == 0) return kSuccess;
  const double factors[] = {scalar(of(h), alpha, kType), scalar(of(h), beta, kType)};
  Matrix terms[] = {{a, kType, static_cast<std::size_t>(lda), ta != 0, rows, columns},
                    {b, kType, static_cast<std::size_t>(ldb), tb != 0, rows, columns}};
  for (int i = 0; i < 2; ++i) {  // a matrix whose factor is 0 need not be there
    if (factors[i] == 0) continue;
    terms[i].data = cudaTilescopePlace(terms[i].data, terms[i].bytes(), 0);
    if (terms[i].data == nullptr) return kExecutionFailed;
  }
  void* sums = cudaTilescopePlace(c, ((columns - 1) * leading + rows) * size_of(kType), 1);
  if (sums == nullptr) return kExecutionFailed;
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (int t = 0; t < 2; ++t)
        if (factors[t] != 0) sum += factors[t] * terms[t].at(i, j);
      store(sums, i + j * leading, kType, sum);
    }
  }
  cudaTilescopeSpend(5e-6);
  return kSuccess;
}
// What alpha and beta are for a compute type (cublasComputeType_t, or cudaDataType before 11).
Type scalar_type(int compute) {
  if (compute == 64 || compute == 65 || compute == 2) return Type::kF16;
  if (compute == 70 || compute == 71 || compute == 1) return Type::kF64;
  if (compute == 72 || compute == 73 || compute == 10) return Type::kI32;
  return Type::kF32;
}
// Matrices between host and device, column by column.
Status move_matrix(int rows, int columns, int size, const void* from, int from_leading, void* to,
                   int to_leading) {
  const auto bytes = static_cast<std::size_t>(size);
  for (int column = 0; column < columns; ++column) {
    const auto offset = [&](int leading) {
      return static_cast<std::size_t>(column) * static_cast<std::size_t>(leading) * bytes;
    };
    const std::size_t length = static_cast<std::size_t>(rows) * bytes;
    const void* source =
        cudaTilescopePlace(static_cast<const char*>(from) + offset(from_leading), length, 0);
    void* target = cudaTilescopePlace(static_cast<char*>(to) + offset(to_leading), length, 1);
    if (source == nullptr || target == nullptr) return kInvalidValue;
    std::memcpy(target, source, length);
  }
  return kSuccess;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Status cublasCreate_v2(void** handle) {
  *handle = new Handle;
  return kSuccess;
}
EXPORT Status cublasDestroy_v2(void* handle) {
  delete of(handle);
  return kSuccess;
}
EXPORT Status cublasSetStream_v2(void* handle, void* stream) {
  of(handle)->stream = stream;
  return kSuccess;
}
EXPORT Status cublasGetStream_v2(void* handle, void** stream) {
  *stream = of(handle)->stream;
  return kSuccess;
}
EXPORT Status cublasSetPointerMode_v2(void* handle, int mode) {
  of(handle)->pointer_mode = mode;
  return kSuccess;
}
EXPORT Status cublasGetPointerMode_v2(void* handle, int* mode) {
  *mode = of(handle)->pointer_mode;
  return kSuccess;
}
EXPORT Status cublasSetMathMode(void* handle, int mode) {
  of(handle)->math_mode = mode;
  return kSuccess;
}
EXPORT Status cublasGetMathMode(void* handle, int* mode) {
  *mode = of(handle)->math_mode;
  return kSuccess;
}
EXPORT Status cublasSetAtomicsMode(void* handle, int mode) {
  of(handle)->atomics_mode = mode;
  return kSuccess;
}
EXPORT Status cublasSetWorkspace_v2(void*, void*, std::size_t) { return kSuccess; }
EXPORT Status cublasGetVersion_v2(void*, int* version) {
  *version = 130000;
  return kSuccess;
}
EXPORT const char* cublasGetStatusString(Status status) {
  switch (status) {
    case kSuccess:
      return "the operation completed successfully";
    case kInvalidValue:
      return "an unsupported value or parameter was passed to the function";
    case kExecutionFailed:
      return "the function failed to launch on the GPU";
    default:
      return "the functionality requested is not supported";
  }
}
EXPORT const char* cublasGetStatusName(Status status) { return status_name(status); }
EXPORT Status cublasSetMatrix(int rows, int columns, int size, const void* a, int lda, void* b,
                              int ldb) {
  return move_matrix(rows, columns, size, a, lda, b, ldb);
}
EXPORT Status cublasGetMatrix(int rows, int columns, int size, const void* a, int lda, void* b,
                              int ldb) {
  return move_matrix(rows, columns, size, a, lda, b, ldb);
}
EXPORT Status cublasSetVector(int n, int size, const void* x, int incx, void* y, int incy) {
  return move_matrix(1, n, size, x, incx, y, incy);
}
EXPORT Status cublasGetVector(int n, int size, const void* x, int incx, void* y, int incy) {
  return move_matrix(1, n, size, x, incx, y, incy);
}

EXPORT Status cublasSetMatrixAsync(int rows, int columns, int size, const void* a, int lda, void* b,
                                   int ldb, void*) {
  return move_matrix(rows, columns, size, a, lda, b, ldb);
}
EXPORT Status cublasGetMatrixAsync(int rows, int columns, int size, const void* a, int lda, void* b,
                                   int ldb, void*) {
  return move_matrix(rows, columns, size, a, lda, b, ldb);
}
EXPORT Status cublasSetVectorAsync(int n, int size, const void* x, int incx, void* y, int incy,
                                   void*) {
  return move_matrix(1, n, size, x, incx, y, incy);
}
EXPORT Status cublasGetVectorAsync(int n, int size, const void* x, int incx, void* y, int incy,
                                   void*) {
  return move_matrix(1, n, size, x, incx, y, incy);
}
EXPORT std::size_t cublasGetCudartVersion() { return 13000; }

#define GEMM(name, type)                                                                           \
  EXPORT Status cublas##name##_v2(void* h, int ta, int tb, int m, int n, int k, const void* alpha, \
                                  const void* a, int lda, const void* b, int ldb,                  \
                                  const void* beta, void* c, int ldc) {                            \
    return plain_gemm<type>(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);              \
  }
GEMM(Sgemm, Type::kF32)
GEMM(Dgemm, Type::kF64)
EXPORT Status cublasHgemm(void* h, int ta, int tb, int m, int n, int k, const void* alpha,
                          const void* a, int lda, const void* b, int ldb, const void* beta, void* c,
                          int ldc) {
  return plain_gemm<Type::kF16>(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
#define STRIDED(name, type)                                                                        \
  EXPORT Status cublas##name(void* h, int ta, int tb, int m, int n, int k, const void* alpha,      \
                             const void* a, int lda, long long sa, const void* b, int ldb,         \
                             long long sb, const void* beta, void* c, int ldc, long long sc,       \
                             int batches) {                                                        \
    return strided_gemm<type>(h, ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, \
                              batches);                                                            \
  }
STRIDED(SgemmStridedBatched, Type::kF32)
STRIDED(DgemmStridedBatched, Type::kF64)
STRIDED(HgemmStridedBatched, Type::kF16)
EXPORT Status cublasGemmEx(void* h, int ta, int tb, int m, int n, int k, const void* alpha,
                           const void* a, int a_type, int lda, const void* b, int b_type, int ldb,
                           const void* beta, void* c, int c_type, int ldc, int compute, int) {
  const Type scale = scalar_type(compute);
  return gemm({ta,
               tb,
               m,
               n,
               k,
               scalar(of(h), alpha, scale),
               scalar(of(h), beta, scale),
               a,
               Type{a_type},
               lda,
               0,
               b,
               Type{b_type},
               ldb,
               0,
               c,
               Type{c_type},
               ldc,
               0,
               1});
}
EXPORT Status cublasGemmStridedBatchedEx(void* h, int ta, int tb, int m, int n, int k,
                                         const void* alpha, const void* a, int a_type, int lda,
                                         long long sa, const void* b, int b_type, int ldb,
                                         long long sb, const void* beta, void* c, int c_type,
                                         int ldc, long long sc, int batches, int compute, int) {
  const Type scale = scalar_type(compute);
  return gemm({ta,
               tb,
               m,
               n,
               k,
               scalar(of(h), alpha, scale),
               scalar(of(h), beta, scale),
               a,
               Type{a_type},
               lda,
               sa,
               b,
               Type{b_type},
               ldb,
               sb,
               c,
               Type{c_type},
               ldc,
               sc,
               batches});
}
EXPORT Status cublasSgemmEx(void* h, int ta, int tb, int m, int n, int k, const void* alpha,
                            const void* a, int a_type, int lda, const void* b, int b_type, int ldb,
                            const void* beta, void* c, int c_type, int ldc) {
  return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type,
                      ldc, 68, 0);
}
#define POINTERS(letter, type)                                                                    \
  EXPORT Status cublas##letter##gemmBatched(void* h, int ta, int tb, int m, int n, int k,         \
                                            const void* alpha, const void* const* a, int lda,     \
                                            const void* const* b, int ldb, const void* beta,      \
                                            void* const* c, int ldc, int batches) {               \
    return pointers_gemm<type>(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batches); \
  }
POINTERS(S, Type::kF32)
POINTERS(D, Type::kF64)
POINTERS(H, Type::kF16)
EXPORT Status cublasGemmBatchedEx(void* h, int ta, int tb, int m, int n, int k, const void* alpha,
                                  const void* const* a, int a_type, int lda, const void* const* b,
                                  int b_type, int ldb, const void* beta, void* const* c, int c_type,
                                  int ldc, int batches, int compute, int) {
  const Type scale = scalar_type(compute);
  Gemm g{ta, tb, m, n, k, scalar(of(h), alpha, scale), scalar(of(h), beta, scale)};
  g.a_type = Type{a_type};
  g.lda = lda;
  g.b_type = Type{b_type};
  g.ldb = ldb;
  g.c_type = Type{c_type};
  g.ldc = ldc;
  return batched_gemm(g, a, b, c, batches);
}
#define GEAM(letter, type)                                                                     \
  EXPORT Status cublas##letter##geam(void* h, int ta, int tb, int m, int n, const void* alpha, \
                                     const void* a, int lda, const void* beta, const void* b,  \
                                     int ldb, void* c, int ldc) {                              \
    return geam<type>(h, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                   \
  }
GEAM(S, Type::kF32)
GEAM(D, Type::kF64)
#define LEVEL1(letter, type)                                                                      \
  EXPORT Status cublas##letter##axpy_v2(void* h, int n, const void* alpha, const void* x,         \
                                        int incx, void* y, int incy) {                            \
    return axpy<type>(h, n, alpha, x, incx, y, incy);                                             \
  }                                                                                               \
  EXPORT Status cublas##letter##scal_v2(void* h, int n, const void* alpha, void* x, int incx) {   \
    return scal<type>(h, n, alpha, x, incx);                                                      \
  }                                                                                               \
  EXPORT Status cublas##letter##copy_v2(void*, int n, const void* x, int incx, void* y,           \
                                        int incy) {                                               \
    return copy<type>(n, x, incx, y, incy);                                                       \
  }                                                                                               \
  EXPORT Status cublas##letter##dot_v2(void* h, int n, const void* x, int incx, const void* y,    \
                                       int incy, void* result) {                                  \
    return dot<type>(h, n, x, incx, y, incy, result);                                             \
  }                                                                                               \
  EXPORT Status cublas##letter##nrm2_v2(void* h, int n, const void* x, int incx, void* result) {  \
    return norm<type, Norm::kTwo>(h, n, x, incx, result);                                         \
  }                                                                                               \
  EXPORT Status cublas##letter##asum_v2(void* h, int n, const void* x, int incx, void* result) {  \
    return norm<type, Norm::kOne>(h, n, x, incx, result);                                         \
  }                                                                                               \
  EXPORT Status cublasI##letter##amax_v2(void* h, int n, const void* x, int incx, void* result) { \
    return norm<type, Norm::kLargest>(h, n, x, incx, result);                                     \
  }                                                                                               \
  EXPORT Status cublas##letter##gemv_v2(void* h, int t, int m, int n, const void* alpha,          \
                                        const void* a, int lda, const void* x, int incx,          \
                                        const void* beta, void* y, int incy) {                    \
    return gemv<type>(h, t, m, n, alpha, a, lda, x, incx, beta, y, incy);                         \
  }
// Some names have a small letter in CUDA: cublasIsamax_v2.
#define cublasISamax_v2 cublasIsamax_v2
#define cublasIDamax_v2 cublasIdamax_v2
LEVEL1(S, Type::kF32)
LEVEL1(D, Type::kF64)
