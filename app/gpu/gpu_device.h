#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "core/result.h"
#include "core/shared_library.h"
#include "gpu/cublas.h"
#include "gpu/cuda_driver.h"
#include "gpu/messages.h"

namespace tilescope {

// What NVML says of the GPU, where it is installed and allows it; absent values else.
class DeviceMonitor {
 public:
  // The GPU at this PCI address, as CUDA writes it ("0000:17:00.0").
  explicit DeviceMonitor(const std::string& pci_bus_id);
  ~DeviceMonitor();
  DeviceMonitor(const DeviceMonitor&) = delete;
  DeviceMonitor& operator=(const DeviceMonitor&) = delete;

  [[nodiscard]] std::optional<double> sm_clock_hz() const;
  [[nodiscard]] std::optional<double> temperature_celsius() const;
  // Why the clock is lower than it could be just now, as bits of ThrottleReason.
  [[nodiscard]] std::optional<std::uint64_t> throttle_reasons() const;
  [[nodiscard]] std::optional<std::string> driver_version() const;
  // Processes beside this one that computed on the GPU since then. Where this one's own number is
  // not among those that NVML lists (a container's numbers are others), one of them is taken for
  // it.
  [[nodiscard]] int others_since(std::chrono::system_clock::time_point start) const;

 private:
  // From nvml.h: nvmlReturn_t is 0 on success, nvmlClockType_t 1 is NVML_CLOCK_SM.
  using Device = struct nvmlDevice_st*;
  struct ProcessUse {  // nvmlProcessUtilizationSample_t
    unsigned process = 0;
    unsigned long long microseconds = 0;  // since 1970
    unsigned percent_of_time = 0;         // in which a kernel of it ran
    unsigned memory = 0;
    unsigned encoder = 0;
    unsigned decoder = 0;
  };
  struct Functions {
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*device_by_bus_id)(const char*, Device*) = nullptr;
    int (*clock_info)(Device, int, unsigned*) = nullptr;
    int (*temperature)(Device, int, unsigned*) = nullptr;
    int (*throttle_reasons)(Device, unsigned long long*) = nullptr;
    int (*driver_version)(char*, unsigned) = nullptr;
    // Absent in libraries of before 2018.
    int (*process_use)(Device, ProcessUse*, unsigned*, unsigned long long) = nullptr;
  };
  std::optional<SharedLibrary> library_;
  Functions functions_;
  bool started_ = false;
  Device device_ = nullptr;
};

// One of the GPUs that CUDA shows ($CUDA_VISIBLE_DEVICES chooses), its primary context made current
// on the thread that opens it, one stream in which all work is queued (ordered with plain copies),
// and cuBLAS and NVML where they are installed. Used by one thread.
class GpuDevice {
 public:
  // kMachine where there is no such GPU.
  [[nodiscard]] static Result<std::unique_ptr<GpuDevice>> open(int index = 0);
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
  [[nodiscard]] Status start(int index);
  void read_info();

  CudaDriver driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  std::optional<Cublas> cublas_;
  std::optional<DeviceMonitor> monitor_;
  DeviceInfo info_;
};

// The GPU that is there: the limits of its compute capability from the table (device_model_for),
// its own name, multiprocessors and clock, and the bandwidth of its memory: the datasheet's where
// the table has this very GPU, else bus width x clock x 2. What a device does not tell stays the
// table's.
[[nodiscard]] DeviceModel model_of(const DeviceInfo& device, const std::vector<DeviceModel>& table);

}  // namespace tilescope
