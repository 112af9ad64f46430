// A program that launches kernels by the driver: exec --gpu takes any, and no nvcc is needed for
// it.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gpu/cuda_driver.h"

namespace {

constexpr const char* kPtx = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry scale(.param .u64 data, .param .f32 factor) {
  .reg .b32 %r<5>;
  .reg .b64 %a<4>;
  .reg .f32 %f<3>;
  ld.param.u64 %a1, [data];
  ld.param.f32 %f1, [factor];
  cvta.to.global.u64 %a1, %a1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %a2, %r4, 4;
  add.u64 %a3, %a1, %a2;
  ld.global.f32 %f2, [%a3];
  mul.f32 %f2, %f2, %f1;
  st.global.f32 [%a3], %f2;
  ret;
}
)";

void must(CUresult result) {
  if (result == CUDA_SUCCESS) return;
  std::printf("the driver gave %d\n", static_cast<int>(result));
  std::exit(3);
}

}  // namespace

int main() {
  const auto driver = tilescope::CudaDriver::load();
  if (!driver) return 4;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction scale = nullptr;
  CUdeviceptr data = 0;
  must(driver->cuDeviceGet(&device, 0));
  must(driver->cuDevicePrimaryCtxRetain(&context, device));
  must(driver->cuCtxSetCurrent(context));
  must(driver->cuModuleLoadDataEx(&module, kPtx, 0, nullptr, nullptr));
  must(driver->cuModuleGetFunction(&scale, module, "scale"));
  std::vector<float> values(1024, 1);
  must(driver->cuMemAlloc(&data, values.size() * sizeof(float)));
  must(driver->cuMemcpyHtoD(data, values.data(), values.size() * sizeof(float)));
  float factor = 2;
  void* arguments[] = {&data, &factor};
  for (int i = 0; i < 3; ++i)
    must(driver->cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  must(driver->cuMemcpyDtoH(values.data(), data, values.size() * sizeof(float)));
  std::printf("the last one is %g\n", static_cast<double>(values.back()));
  return values.back() == 8 ? 0 : 1;
}
