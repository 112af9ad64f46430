// The driver library of CUDA 12: a context without parameters. And OpenMP, for which nvcc has no option.
// output: a context, 4 threads
#include <cuda.h>
#include <omp.h>

#include <cstdio>
int main() {
  CUdevice device;
  CUcontext context = nullptr, current = nullptr;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, 0, device);
  cuCtxGetCurrent(&current);
  omp_set_num_threads(4);
  int threads = 0;
#pragma omp parallel
  {
#pragma omp atomic
    ++threads;
  }
  std::printf("%s, %d threads\n",
              context != nullptr && current == context ? "a context" : "no context", threads);
  cuCtxDestroy(context);
}
