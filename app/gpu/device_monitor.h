#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/shared_library.h"

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

 private:
  // From nvml.h: nvmlReturn_t is 0 on success, nvmlClockType_t 1 is NVML_CLOCK_SM.
  using Device = struct nvmlDevice_st*;
  struct Functions {
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*device_by_bus_id)(const char*, Device*) = nullptr;
    int (*clock_info)(Device, int, unsigned*) = nullptr;
    int (*temperature)(Device, int, unsigned*) = nullptr;
    int (*throttle_reasons)(Device, unsigned long long*) = nullptr;
    int (*driver_version)(char*, unsigned) = nullptr;
  };
  std::optional<SharedLibrary> library_;
  Functions functions_;
  bool started_ = false;
  Device device_ = nullptr;
};

}  // namespace tilescope
