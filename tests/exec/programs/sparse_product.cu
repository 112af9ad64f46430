// cuSPARSE on the CPU: a sparse matrix times a vector and a matrix, transposed, by three formats, and to and from a
// dense one.
// output: CSR: 7 6 41
// output: transposed, twice, added: 9 26 1 33
// output: COO from 1: 7 6 41
// output: CSC, double: 7 6 41
// output: by a matrix, rows and columns: 7 14 6 12 41 82
// output: dense: 1 0 0 2 0 3 0 0 4 0 5 6
// output: sparse again: 6 entries, rows at 0 2 3 6, the last 6 in column 3
// output: of another size: CUSPARSE_STATUS_INVALID_VALUE
#include <cusparse.h>

#include <cstdio>
template <class T>
T* on_device(std::initializer_list<T> values) {
  T* made;
  cudaMallocManaged(&made, values.size() * sizeof(T));
  cudaMemcpy(made, values.begin(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return made;
}
int main() {
  // 1 0 0 2
  // 0 3 0 0
  // 4 0 5 6
  cusparseHandle_t handle;
  cusparseCreate(&handle);
  int* rows = on_device({0, 2, 3, 6});
  int* columns = on_device({0, 3, 1, 0, 2, 3});
  float* values = on_device({1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
  float* x = on_device({1.f, 2.f, 2.6f, 3.f});
  float* y = on_device({0.f, 0.f, 0.f, 1.f});
  x[2] = 3.8f;
  cusparseSpMatDescr_t csr;
  cusparseDnVecDescr_t in, out;
  cusparseCreateCsr(&csr, 3, 4, 6, rows, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnVec(&in, 4, x, CUDA_R_32F);
  cusparseCreateDnVec(&out, 3, y, CUDA_R_32F);
  float one = 1, zero = 0, two = 2;
  size_t bytes = 0;
  void* buffer;
  cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, csr, in, &zero, out,
                          CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
  cudaMalloc(&buffer, bytes);
  cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, csr, in, &zero, out, CUDA_R_32F,
               CUSPARSE_SPMV_ALG_DEFAULT, buffer);
  cudaDeviceSynchronize();
  std::printf("CSR: %g %g %g\n", y[0], y[1], y[2]);
  float* a = on_device({.5f, 4.f, 1.f});
  float* b = on_device({1.f, 2.f, 1.f, 1.f});
  a[2] = .875f;
  b[2] = -7.75f;
  b[3] = 20.5f;
  cusparseDnVecDescr_t from, to;
  cusparseCreateDnVec(&from, 3, a, CUDA_R_32F);
  cusparseCreateDnVec(&to, 4, b, CUDA_R_32F);
  cusparseSpMV(handle, CUSPARSE_OPERATION_TRANSPOSE, &two, csr, from, &one, to, CUDA_R_32F,
               CUSPARSE_SPMV_ALG_DEFAULT, buffer);
  cudaDeviceSynchronize();
  std::printf("transposed, twice, added: %g %g %g %g\n", b[0], b[1], b[2], b[3]);
  cusparseSpMatDescr_t coo, csc;
  cusparseCreateCoo(&coo, 3, 4, 6, on_device({1, 1, 2, 3, 3, 3}), on_device({1, 4, 2, 1, 3, 4}),
                    values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F);
  cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, coo, in, &zero, out, CUDA_R_32F,
               CUSPARSE_SPMV_ALG_DEFAULT, buffer);
  cudaDeviceSynchronize();
  std::printf("COO from 1: %g %g %g\n", y[0], y[1], y[2]);
  double* dx = on_device({1., 2., 3.8, 3.});
  double* dy = on_device({0., 0., 0.});
  double d_one = 1, d_zero = 0;
  cusparseDnVecDescr_t d_in, d_out;
  cusparseCreateDnVec(&d_in, 4, dx, CUDA_R_64F);
  cusparseCreateDnVec(&d_out, 3, dy, CUDA_R_64F);
  cusparseCreateCsc(&csc, 3, 4, 6, on_device<int64_t>({0, 2, 3, 4, 6}), on_device({0, 2, 1, 2, 0, 2}),
                    on_device({1., 4., 3., 5., 2., 6.}), CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &d_one, csc, d_in, &d_zero, d_out,
               CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, buffer);
  cudaDeviceSynchronize();
  std::printf("CSC, double: %g %g %g\n", dy[0], dy[1], dy[2]);
  float* wide = on_device({1.f, 2.f, 3.8f, 3.f, 2.f, 4.f, 7.6f, 6.f});
  float* product = on_device({0.f, 0.f, 0.f, 0.f, 0.f, 0.f});
  cusparseDnMatDescr_t by, result;
  cusparseCreateDnMat(&by, 4, 2, 4, wide, CUDA_R_32F, CUSPARSE_ORDER_COL);
  cusparseCreateDnMat(&result, 3, 2, 2, product, CUDA_R_32F, CUSPARSE_ORDER_ROW);
  cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, csr,
               by, &zero, result, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer);
  cudaDeviceSynchronize();
  std::printf("by a matrix, rows and columns: %g %g %g %g %g %g\n", product[0], product[1],
              product[2], product[3], product[4], product[5]);
  float* dense = on_device({9.f, 9.f, 9.f, 9.f, 9.f, 9.f, 9.f, 9.f, 9.f, 9.f, 9.f, 9.f});
  cusparseDnMatDescr_t whole;
  cusparseCreateDnMat(&whole, 3, 4, 4, dense, CUDA_R_32F, CUSPARSE_ORDER_ROW);
  cusparseSparseToDense(handle, csr, whole, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer);
  cudaDeviceSynchronize();
  std::printf("dense:");
  for (int i = 0; i < 12; ++i) std::printf(" %g", dense[i]);
  int* offsets = on_device({0, 0, 0, 0});
  cusparseSpMatDescr_t again;
  cusparseCreateCsr(&again, 3, 4, 0, offsets, nullptr, nullptr, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseDenseToSparse_analysis(handle, whole, again, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer);
  int64_t height, width, entries;
  cusparseSpMatGetSize(again, &height, &width, &entries);
  int* found = on_device({0, 0, 0, 0, 0, 0});
  float* kept = on_device({0.f, 0.f, 0.f, 0.f, 0.f, 0.f});
  cusparseCsrSetPointers(again, offsets, found, kept);
  cusparseDenseToSparse_convert(handle, whole, again, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer);
  cudaDeviceSynchronize();
  std::printf("\nsparse again: %d entries, rows at %d %d %d %d, the last %g in column %d\n",
              int(entries), offsets[0], offsets[1], offsets[2], offsets[3], kept[5], found[5]);
  const cusparseStatus_t status =
      cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, csr, from, &zero, out, CUDA_R_32F,
                   CUSPARSE_SPMV_ALG_DEFAULT, buffer);
  std::printf("of another size: %s\n", cusparseGetErrorName(status));
  cusparseDestroy(handle);
}
