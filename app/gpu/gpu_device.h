#pragma once
#include <memory>
#include <optional>
#include <string>

#include "core/result.h"
#include "gpu/cublas.h"
#include "gpu/cuda_driver.h"
#include "gpu/device_monitor.h"
#include "gpu/messages.h"

namespace tilescope {

// The first GPU that CUDA shows ($CUDA_VISIBLE_DEVICES chooses), its primary context made current
// on the thread that opens it, one stream in which all work is queued (ordered with plain copies),
// and cuBLAS and NVML where they are installed. Used by one thread.
class GpuDevice {
 public:
  [[nodiscard]] static Result<std::unique_ptr<GpuDevice>> open();
  ~GpuDevice();
  GpuDevice(const GpuDevice&) = delete;
  GpuDevice& operator=(const GpuDevice&) = delete;

  [[nodiscard]] const CudaDriver& driver() const { return driver_; }
  [[nodiscard]] CUcontext context() const { return context_; }
  [[nodiscard]] CUstream stream() const { return stream_; }
  [[nodiscard]] const Cublas* cublas() const { return cublas_ ? &*cublas_ : nullptr; }
  [[nodiscard]] const DeviceMonitor& monitor() const { return *monitor_; }
  [[nodiscard]] const DeviceInfo& info() const { return info_; }
  [[nodiscard]] int attribute(CUdevice_attribute attribute) const;

  // A result that may be the kernel's doing: kKernel with what it did, else as driver().check().
  [[nodiscard]] Status check_kernel(CUresult result, const std::string& kernel_id,
                                    std::string_view what) const;
  // Waits for all that was queued.
  [[nodiscard]] Status finish(const std::string& kernel_id) const;
  // False after a fault: nothing works in this process any more.
  [[nodiscard]] bool alive() const;

 private:
  explicit GpuDevice(CudaDriver driver) : driver_(std::move(driver)) {}
  [[nodiscard]] Status start();
  void read_info();

  CudaDriver driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  std::optional<Cublas> cublas_;
  std::optional<DeviceMonitor> monitor_;
  DeviceInfo info_;
};

}  // namespace tilescope
