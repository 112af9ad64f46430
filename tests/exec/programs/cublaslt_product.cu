// Products of cuBLASLt: by columns and by rows, with epilogues, in halves, in a batch.
// output: by columns: 19 43 22 50
// output: by rows, B transposed: 17 23 39 53
// output: relu and bias: 0 44 2 51
// output: gelu: 0.841192 1.9546, before it 1 2
// output: halves, added to C: 20 45 25 54
// output: batch of 2: 19 43 22 50 190 430 220 500
// output: 1 algorithm, workspace 0; wrong sizes 7, gradient of the bias 15
// host: unsupported
#include <cublasLt.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <vector>

cublasLtHandle_t handle;

template <class T>
T* on_device(const std::vector<T>& values) {
  T* place = nullptr;
  cudaMalloc(&place, values.size() * sizeof(T));
  cudaMemcpy(place, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return place;
}
template <class T>
void show(const char* what, const T* place, int count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), place, count * sizeof(T), cudaMemcpyDeviceToHost);
  printf("%s:", what);
  for (const T& value : values) printf(" %g", static_cast<float>(value));
  printf("\n");
}

cublasLtMatrixLayout_t square(cudaDataType type, int n) {
  cublasLtMatrixLayout_t layout;
  cublasLtMatrixLayoutCreate(&layout, type, n, n, n);
  return layout;
}
template <class T>
void set(cublasLtMatmulDesc_t how, cublasLtMatmulDescAttributes_t attribute, T value) {
  cublasLtMatmulDescSetAttribute(how, attribute, &value, sizeof value);
}

int main() {
  cublasLtCreate(&handle);
  // By columns: A = (1 2; 3 4), B = (5 6; 7 8); then ten times A.
  float* a = on_device<float>({1, 3, 2, 4, 10, 30, 20, 40});
  float* b = on_device<float>({5, 7, 6, 8});
  float* d = on_device<float>(std::vector<float>(8));
  const float one = 1, zero = 0;
  cublasLtMatmulDesc_t how;
  cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayout_t plain = square(CUDA_R_32F, 2);
  const auto multiply = [&](float beta, const void* c, cublasLtMatrixLayout_t layout) {
    return cublasLtMatmul(handle, how, &one, a, plain, b, plain, &beta, c, layout, d, layout,
                          nullptr, nullptr, 0, 0);
  };
  multiply(0, d, plain);
  show("by columns", d, 4);

  // By rows: A = (1 2; 3 4), B = (5 6; 7 8), and A B^T.
  cublasLtMatrixLayout_t rows = square(CUDA_R_32F, 2);
  const cublasLtOrder_t by_row = CUBLASLT_ORDER_ROW;
  cublasLtMatrixLayoutSetAttribute(rows, CUBLASLT_MATRIX_LAYOUT_ORDER, &by_row, sizeof by_row);
  float* x = on_device<float>({1, 2, 3, 4});
  set(how, CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_T);
  cublasLtMatmul(handle, how, &one, x, rows, on_device<float>({5, 6, 7, 8}), rows, &zero, d, rows,
                 d, rows, nullptr, nullptr, 0, 0);
  show("by rows, B transposed", d, 4);
  set(how, CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);

  set(how, CUBLASLT_MATMUL_DESC_BIAS_POINTER, on_device<float>({-20, 1}));
  set(how, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU_BIAS);
  multiply(0, d, plain);
  show("relu and bias", d, 4);

  float* before = on_device<float>({0, 0});
  cublasLtMatrixLayout_t column;
  cublasLtMatrixLayoutCreate(&column, CUDA_R_32F, 2, 1, 2);
  set(how, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_AUX);
  set(how, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, before);
  set(how, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t{2});
  float* unit = on_device<float>({1, 0, 0, 1});
  cublasLtMatmul(handle, how, &one, unit, plain, on_device<float>({1, 2}), column, &zero, d, column,
                 d, column, nullptr, nullptr, 0, 0);
  float after[2], sums[2];
  cudaMemcpy(after, d, sizeof after, cudaMemcpyDeviceToHost);
  cudaMemcpy(sums, before, sizeof sums, cudaMemcpyDeviceToHost);
  printf("gelu: %g %g, before it %g %g\n", after[0], after[1], sums[0], sums[1]);

  set(how, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
  cublasLtMatrixLayout_t halves = square(CUDA_R_16F, 2);
  __half* c = on_device<__half>({1, 2, 3, 4});
  multiply(1, c, halves);
  show("halves, added to C", reinterpret_cast<__half*>(d), 4);

  const int two = 2;
  const int64_t apart = 4, same = 0;
  cublasLtMatrixLayout_t batch = square(CUDA_R_32F, 2), shared = square(CUDA_R_32F, 2);
  for (cublasLtMatrixLayout_t each : {batch, shared}) {
    cublasLtMatrixLayoutSetAttribute(each, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &two, sizeof two);
    cublasLtMatrixLayoutSetAttribute(each, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                     each == batch ? &apart : &same, sizeof apart);
  }
  cublasLtMatmul(handle, how, &one, a, batch, b, shared, &zero, d, batch, d, batch, nullptr,
                 nullptr, 0, 0);
  show("batch of 2", d, 8);

  cublasLtMatmulPreference_t preference;
  cublasLtMatmulPreferenceCreate(&preference);
  cublasLtMatmulHeuristicResult_t best;
  int found = 0;
  cublasLtMatmulAlgoGetHeuristic(handle, how, plain, plain, plain, plain, preference, 1, &best,
                                 &found);
  const int wrong = multiply(0, d, column);
  set(how, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BGRADB);
  printf("%d algorithm, workspace %zu; wrong sizes %d, gradient of the bias %d\n", found,
         best.workspaceSize, wrong, multiply(0, d, plain));
  cublasLtDestroy(handle);
}
