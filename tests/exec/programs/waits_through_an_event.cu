// output: 1 2
// host: not_synchronised
#include <cstdio>

__global__ void store(int* p, int value) { *p = value; }

int main() {
  int *a, *b;
  cudaStream_t first, second;
  cudaEvent_t event;
  cudaMallocManaged(&a, sizeof(int));
  cudaMallocManaged(&b, sizeof(int));
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEventCreate(&event);
  store<<<1, 1, 0, first>>>(a, 1);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
  store<<<1, 1, 0, first>>>(b, 2);
  cudaStreamSynchronize(second);
  printf("%d", *a);  // waited for through the event
  printf(" %d\n", *b);  // not waited for
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaEventDestroy(event);
}
