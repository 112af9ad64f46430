// Headers that CUDA's samples bring along, and host_vector, which thrust once included itself.
// output: device 0, of 9.0 or later
// output: sum 60, cross 0 0 1, clamped 0.5, near
// launches: 1
#include <helper_cuda.h>
#include <helper_functions.h>
#include <helper_math.h>
#include <nvToolsExt.h>
#include <thrust/device_vector.h>

__global__ void scaled(const float4* x, float4* y) {
  y[threadIdx.x] = 2 * x[threadIdx.x] + make_float4(1.0f);
}

int main(int argc, char** argv) {
  const int device = checkCmdLineFlag(argc, (const char**)argv, "device") ? -1 : gpuDeviceInit(0);
  printf("device %d, %s\n", device, checkCudaCapabilities(9, 0) ? "of 9.0 or later" : "older");
  nvtxRangePushA("all");
  StopWatchInterface* watch = NULL;
  sdkCreateTimer(&watch);
  sdkStartTimer(&watch);
  float4 *x, *y;
  checkCudaErrors(cudaMallocManaged(&x, 2 * sizeof(float4)));
  checkCudaErrors(cudaMallocManaged(&y, 2 * sizeof(float4)));
  x[0] = make_float4(1, 2, 3, 4);
  x[1] = x[0] + make_float4(2.0f);
  scaled<<<1, 2>>>(x, y);
  getLastCudaError("scaled");
  checkCudaErrors(cudaDeviceSynchronize());
  sdkStopTimer(&watch);
  thrust::host_vector<float> pair(2, 1.0f);
  const float3 up = cross(make_float3(1, 0, 0), make_float3(0, 1, 0));
  const bool is_near = compareData(pair.data(), pair.data(), 2, 0.1f);
  const float sum = dot(y[0], make_float4(1.0f)) + dot(y[1], pair[0] * make_float4(1.0f)) - 4;
  printf("sum %g, cross %g %g %g, clamped %g, %s\n", sum, up.x, up.y, up.z,
         clamp(make_float2(2, 3), 0.0f, 0.5f).x, is_near ? "near" : "far");
  sdkDeleteTimer(&watch);
  nvtxRangePop();
  checkCudaErrors(cudaFree(x));
  checkCudaErrors(cudaFree(y));
}
