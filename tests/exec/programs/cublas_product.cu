// output: 19 43 22 50
// nvcc: -lcublas
#include <cublas_v2.h>
#include <cstdio>

int main() {
  // Column-major: A = (1 2; 3 4), B = (5 6; 7 8).
  const float a[] = {1, 3, 2, 4}, b[] = {5, 7, 6, 8};
  float *da, *db, *dc, c[4];
  cudaMalloc(&da, sizeof a);
  cudaMalloc(&db, sizeof b);
  cudaMalloc(&dc, sizeof c);
  cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1, zero = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, da, 2, db, 2, &zero, dc, 2);
  cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost);
  printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]);
  cublasDestroy(handle);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
}
