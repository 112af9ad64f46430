#include "gpu/gpu_device.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace tilescope {

Result<std::unique_ptr<GpuDevice>> GpuDevice::open() {
  Result<CudaDriver> driver = CudaDriver::load();
  if (!driver) return driver.error();
  std::unique_ptr<GpuDevice> gpu(new GpuDevice(*std::move(driver)));
  if (Status started = gpu->start(); !started) return started.error();
  gpu->read_info();
  return gpu;
}

Status GpuDevice::start() {
  int count = 0;
  if (Status s = driver_.check(driver_.cuDeviceGetCount(&count), "count GPUs"); !s) return s;
  if (count == 0) {
    return Error{ErrorCode::kMachine, "the driver shows no GPU", "Check nvidia-smi", {}};
  }
  if (Status s = driver_.check(driver_.cuDeviceGet(&device_, 0), "take the GPU"); !s) return s;
  const CUresult retained = driver_.cuDevicePrimaryCtxRetain(&context_, device_);
  if (Status s = driver_.check(retained, "make a context on the GPU"); !s) return s;
  if (Status s = driver_.check(driver_.cuCtxSetCurrent(context_), "use the context"); !s) return s;
  const CUresult streamed = driver_.cuStreamCreate(&stream_, CU_STREAM_DEFAULT);
  if (Status s = driver_.check(streamed, "make a stream"); !s) return s;

  std::array<char, 32> bus_id{};
  driver_.cuDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), device_);
  monitor_.emplace(bus_id.data());
  Result<Cublas> cublas = Cublas::open(stream_);
  if (cublas) {
    cublas_.emplace(*std::move(cublas));
  } else {
    info_.cublas_problem = to_string(cublas.error());
  }
  return ok_status();
}

void GpuDevice::read_info() {
  std::array<char, 256> name{};
  driver_.cuDeviceGetName(name.data(), static_cast<int>(name.size()), device_);
  info_.name = name.data();
  info_.compute_capability = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                             attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info_.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info_.max_clock_hz = 1e3 * attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  std::size_t memory = 0;
  driver_.cuDeviceTotalMem(&memory, device_);
  info_.memory_bytes = memory;
  constexpr double kTransfersOfAClock = 2;  // double data rate
  info_.memory_bytes_per_second = kTransfersOfAClock *
                                  (1e3 * attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)) *
                                  (attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8.0);
  info_.l2_bytes = static_cast<std::uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  info_.driver = monitor_->driver_version().value_or("");
  int version = 0;
  driver_.cuDriverGetVersion(&version);
  info_.cuda_driver = fmt::format("{}.{}", version / 1000, version / 10 % 100);
  if (cublas_) info_.cublas = cublas_->version();
}

GpuDevice::~GpuDevice() {
  cublas_.reset();
  if (stream_ != nullptr) driver_.cuStreamDestroy(stream_);
  if (context_ != nullptr) driver_.cuDevicePrimaryCtxRelease(device_);
}

int GpuDevice::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  driver_.cuDeviceGetAttribute(&value, attribute, device_);
  return value;
}

Status GpuDevice::check_kernel(CUresult result, const std::string& kernel_id,
                               std::string_view what) const {
  const char* fault = fault_in_words(result);
  if (fault == nullptr) return driver_.check(result, what);
  return Error{ErrorCode::kKernel,
               fmt::format("{}: the kernel {}", kernel_id, fault),
               "'tilescope trace' with the same arguments finds the line and the thread",
               {}};
}

Status GpuDevice::finish(const std::string& kernel_id) const {
  return check_kernel(driver_.cuStreamSynchronize(stream_), kernel_id, "wait for the GPU");
}

bool GpuDevice::alive() const { return driver_.cuCtxSynchronize() == CUDA_SUCCESS; }

}  // namespace tilescope
