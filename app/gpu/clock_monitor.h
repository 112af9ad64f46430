#pragma once
#include <optional>
#include <string>

#include "core/shared_library.h"

namespace tilescope {

// Clocks and driver version through NVML, where it is installed and allows it; absent values else.
class ClockMonitor {
 public:
  // The GPU at this PCI address, as CUDA writes it ("0000:17:00.0").
  explicit ClockMonitor(const std::string& pci_bus_id);
  ~ClockMonitor();
  ClockMonitor(const ClockMonitor&) = delete;
  ClockMonitor& operator=(const ClockMonitor&) = delete;

  [[nodiscard]] std::optional<double> sm_clock_hz() const;
  [[nodiscard]] std::optional<std::string> driver_version() const;

 private:
  // From nvml.h: nvmlReturn_t is 0 on success, nvmlClockType_t 1 is NVML_CLOCK_SM.
  using Device = struct nvmlDevice_st*;
  struct Functions {
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*device_by_bus_id)(const char*, Device*) = nullptr;
    int (*clock_info)(Device, int, unsigned*) = nullptr;
    int (*driver_version)(char*, unsigned) = nullptr;
  };
  std::optional<SharedLibrary> library_;
  Functions functions_;
  bool started_ = false;
  Device device_ = nullptr;
};

}  // namespace tilescope
