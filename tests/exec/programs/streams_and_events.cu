// output: 5 time
#include <cstdio>

__global__ void fill(int* p, int value) { p[threadIdx.x] = value; }

int main() {
  int *device, *host;
  cudaMalloc(&device, 4096);
  cudaMallocHost(&host, 4096);
  cudaStream_t stream;
  cudaEvent_t start, end;
  cudaStreamCreate(&stream);
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  cudaEventRecord(start, stream);
  fill<<<1, 1024, 0, stream>>>(device, 5);
  cudaEventRecord(end, stream);
  cudaMemcpyAsync(host, device, 4096, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, start, end);
  printf("%d %s\n", host[1000], milliseconds > 0 && milliseconds < 1 ? "time" : "no time");
  cudaFree(device);
  cudaFreeHost(host);
  cudaStreamDestroy(stream);
  cudaEventDestroy(start);
  cudaEventDestroy(end);
}
