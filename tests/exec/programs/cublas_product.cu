// output: 19 43 22 50
// output: by pointers: 19 43 22 50, 23 31 34 46
// output: transposed and added: 6 9 9 12
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

  float* second;
  cudaMalloc(&second, sizeof c);
  float *const lefts[] = {da, db}, *const rights[] = {db, da}, *const results[] = {dc, second};
  float **device_lefts, **device_rights, **device_results;
  cudaMalloc(&device_lefts, sizeof lefts);
  cudaMalloc(&device_rights, sizeof lefts);
  cudaMalloc(&device_results, sizeof lefts);
  cudaMemcpy(device_lefts, lefts, sizeof lefts, cudaMemcpyHostToDevice);
  cudaMemcpy(device_rights, rights, sizeof lefts, cudaMemcpyHostToDevice);
  cudaMemcpy(device_results, results, sizeof lefts, cudaMemcpyHostToDevice);
  cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, device_lefts, 2,
                     device_rights, 2, &zero, device_results, 2, 2);
  float d[4];
  cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost);
  cudaMemcpy(d, second, sizeof d, cudaMemcpyDeviceToHost);
  printf("by pointers: %g %g %g %g, %g %g %g %g\n", c[0], c[1], c[2], c[3], d[0], d[1], d[2], d[3]);
  cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, &one, da, 2, &one, db, 2, dc, 2);
  cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost);
  printf("transposed and added: %g %g %g %g\n", c[0], c[1], c[2], c[3]);
  cudaFree(second);
  cudaFree(device_lefts);
  cudaFree(device_rights);
  cudaFree(device_results);
  cublasDestroy(handle);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
}
