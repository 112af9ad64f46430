#include "on_gpu.h"

#include <algorithm>
#include <array>
#include <span>

#include "gpu/device_buffer.h"

namespace tilescope {

std::unique_ptr<GpuDevice> OnGpu::gpu_;
std::string OnGpu::why_not_;

void OnGpu::SetUpTestSuite() {
  auto opened = GpuDevice::open();
  if (!opened) {
    why_not_ = opened.error().message;
    return;
  }
  gpu_ = *std::move(opened);
}

void OnGpu::SetUp() {
  if (!gpu_) GTEST_SKIP() << why_not_;
  if (gpu_->info().compute_capability < 90) GTEST_SKIP() << "the forms need sm_90";
}

Result<CUmodule> OnGpu::load(const std::string& ptx) {
  CUmodule module = nullptr;
  std::vector<char> log(4096);
  std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
  const CudaDriver& driver = gpu_->driver();
  const Status loaded = driver.check(
      driver.cuModuleLoadDataEx(&module, ptx.c_str(), 2, options.data(), values.data()),
      "load the module");
  if (!loaded) return Error{ErrorCode::kKernel, loaded.error().message + ": " + log.data(), {}, {}};
  return module;
}

void OnGpu::unload(CUmodule module) {
  const CudaDriver& driver = gpu_->driver();
  EXPECT_TRUE(driver.check(driver.cuModuleUnload(module), "unload the module").ok());
}

Status OnGpu::launch(CUmodule module, const std::string& kernel, unsigned blocks, unsigned threads,
                     std::vector<Bytes>& buffers) {
  const CudaDriver& driver = gpu_->driver();
  CUfunction function = nullptr;
  Status status = driver.check(driver.cuModuleGetFunction(&function, module, kernel.c_str()),
                               "find the kernel");
  if (!status) return status;
  std::vector<DeviceBuffer> on_device;
  for (const Bytes& buffer : buffers) {
    auto allocated = DeviceBuffer::allocate(*gpu_, std::max<std::size_t>(buffer.size(), 8));
    if (!allocated) return allocated.error();
    on_device.push_back(*std::move(allocated));
    if (buffer.empty()) continue;
    status = on_device.back().upload(std::span(buffer));
    if (!status) return status;
  }
  std::vector<CUdeviceptr> pointers;
  for (const DeviceBuffer& buffer : on_device) pointers.push_back(buffer.data());
  std::vector<void*> parameters;
  for (CUdeviceptr& pointer : pointers) parameters.push_back(&pointer);
  status = driver.check(driver.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0,
                                              gpu_->stream(), parameters.data(), nullptr),
                        "launch");
  if (!status) return status;
  status = gpu_->finish(kernel);
  for (std::size_t i = 0; i < buffers.size() && status; ++i) {
    if (!buffers[i].empty()) status = on_device[i].download(std::span(buffers[i]));
  }
  return status;
}

}  // namespace tilescope
