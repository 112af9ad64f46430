// A program of the driver library: PTX that it compiles itself, launched with its parameters one by
// one and packed, beside a kernel of the runtime library's.
// output: device 0, capability 9.0, 1 device
// output: scaled 0 wrong, shifted 0 wrong, doubled 0 wrong
// output: factor is 4 bytes, set to 7
// output: no such kernel: CUDA_ERROR_NOT_FOUND, named symbol not found
// output: 2 parameters, the second 8 bytes in; 256 threads fit
// output: filled 0 wrong
// launches: 3
// host: failed_call
// host: unsupported
#include <cuda.h>

#include <cstdio>
#include <vector>

__global__ void twice(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

const char* const kText = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 place, .param .u32 count)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd0, [place];
  ld.param.u32 %r0, [count];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p, %r4, %r0;
  @%p bra done;
  cvta.to.global.u64 %rd1, %rd0;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f0, [%rd3];
  ld.global.u32 %r5, [factor];
  cvt.rn.f32.u32 %f1, %r5;
  mul.f32 %f2, %f0, %f1;
  st.global.f32 [%rd3], %f2;
done:
  ret;
}
)";

int main() {
  const int n = 1000;
  CUdevice device;
  CUcontext context;
  int count = 0, major = 0, minor = 0;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDeviceGetCount(&count);
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  printf("device %d, capability %d.%d, %d device\n", device, major, minor, count);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);

  CUmodule module;
  CUfunction scale;
  CUdeviceptr place;
  if (cuModuleLoadData(&module, kText) != CUDA_SUCCESS) return 1;
  if (cuModuleGetFunction(&scale, module, "scale") != CUDA_SUCCESS) return 2;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = i % 17;
  cuMemAlloc(&place, n * sizeof(float));
  cuMemcpyHtoD(place, x.data(), n * sizeof(float));
  const auto wrong = [&](float factor) {
    cuMemcpyDtoH(y.data(), place, n * sizeof(float));
    int all = 0;
    for (int i = 0; i < n; ++i) all += y[i] != factor * x[i];
    return all;
  };
  int length = n;
  void* arguments[] = {&place, &length};
  cuLaunchKernel(scale, 4, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr);
  const int scaled = wrong(3);

  CUdeviceptr factor;
  size_t bytes = 0;
  const int seven = 7;
  cuModuleGetGlobal(&factor, &bytes, module, "factor");
  cuMemcpyHtoD(factor, &seven, sizeof seven);
  struct {
    CUdeviceptr place;
    int count;
  } packed{place, n};
  size_t packed_bytes = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &packed_bytes, CU_LAUNCH_PARAM_END};
  cuLaunchKernel(scale, 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra);
  const int shifted = wrong(21);
  twice<<<4, 256>>>(reinterpret_cast<float*>(place), n);
  printf("scaled %d wrong, shifted %d wrong, doubled %d wrong\n", scaled, shifted, wrong(42));
  printf("factor is %zu bytes, set to %d\n", bytes, seven);

  CUfunction none;
  const char *name = nullptr, *text = nullptr;
  const CUresult missing = cuModuleGetFunction(&none, module, "nothing");
  cuGetErrorName(missing, &name);
  cuGetErrorString(missing, &text);
  printf("no such kernel: %s, %s\n", name, text);
  size_t offset = 0;
  int threads = 0;
  cuFuncGetParamInfo(scale, 1, &offset, nullptr);
  int blocks = 0;
  cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0);
  cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale);
  printf("2 parameters, the second %zu bytes in; %d threads fit\n", offset,
         blocks > 0 && threads >= 256 ? 256 : 0);
  cuMemsetD32(place, 0x3f800000, n);
  cuMemcpyDtoH(y.data(), place, n * sizeof(float));
  int unlike = 0;
  for (const float each : y) unlike += each != 1;
  printf("filled %d wrong\n", unlike);
  cuMemFree(place);
  cuModuleUnload(module);
}
