// host: unsupported
// host text: a library's work in a captured stream is not there: it gave the program cudaErrorNotSupported
// output: 13
// nvcc: -lcublas
#include <cublas_v2.h>
#include <cstdio>
int main() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cublasHandle_t handle;
  float *x, *y;
  const float two = 2;
  cudaMalloc(&x, 64);
  cudaMalloc(&y, 64);
  cudaMemset(x, 0, 64);
  cudaMemset(y, 0, 64);
  cudaStreamCreate(&stream);
  cublasCreate(&handle);
  cublasSetStream(handle, stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  printf("%d\n", cublasSaxpy(handle, 16, &two, x, 1, y, 1));
  cudaStreamEndCapture(stream, &graph);
  cudaGraphDestroy(graph);
  cublasDestroy(handle);
  cudaStreamDestroy(stream);
  cudaFree(x);
  cudaFree(y);
}
