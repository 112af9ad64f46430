#include "gpu/device_monitor.h"

#include <array>
#include <utility>

namespace tilescope {
namespace {

constexpr int kSmClock = 1;         // NVML_CLOCK_SM
constexpr int kGpuTemperature = 0;  // NVML_TEMPERATURE_GPU

}  // namespace

DeviceMonitor::DeviceMonitor(const std::string& pci_bus_id) {
  Result<SharedLibrary> library = SharedLibrary::open({"libnvidia-ml.so.1"});
  if (!library) return;
  library_.emplace(*std::move(library));
  const bool complete =
      library_->find("nvmlInit_v2", &functions_.init) &&
      library_->find("nvmlShutdown", &functions_.shutdown) &&
      library_->find("nvmlDeviceGetHandleByPciBusId_v2", &functions_.device_by_bus_id) &&
      library_->find("nvmlDeviceGetClockInfo", &functions_.clock_info) &&
      library_->find("nvmlDeviceGetTemperature", &functions_.temperature) &&
      // Under its older name, which newer drivers keep.
      library_->find("nvmlDeviceGetCurrentClocksThrottleReasons", &functions_.throttle_reasons) &&
      library_->find("nvmlSystemGetDriverVersion", &functions_.driver_version);
  if (!complete || functions_.init() != 0) return;
  started_ = true;
  if (functions_.device_by_bus_id(pci_bus_id.c_str(), &device_) != 0) device_ = nullptr;
}

DeviceMonitor::~DeviceMonitor() {
  if (started_) functions_.shutdown();
}

std::optional<double> DeviceMonitor::sm_clock_hz() const {
  unsigned megahertz = 0;
  if (device_ == nullptr || functions_.clock_info(device_, kSmClock, &megahertz) != 0) {
    return std::nullopt;
  }
  return megahertz * 1e6;
}

std::optional<double> DeviceMonitor::temperature_celsius() const {
  unsigned degrees = 0;
  if (device_ == nullptr || functions_.temperature(device_, kGpuTemperature, &degrees) != 0) {
    return std::nullopt;
  }
  return degrees;
}

std::optional<std::uint64_t> DeviceMonitor::throttle_reasons() const {
  unsigned long long reasons = 0;
  if (device_ == nullptr || functions_.throttle_reasons(device_, &reasons) != 0) {
    return std::nullopt;
  }
  return reasons;
}

std::optional<std::string> DeviceMonitor::driver_version() const {
  std::array<char, 96> text{};
  if (!started_ || functions_.driver_version(text.data(), text.size()) != 0) return std::nullopt;
  return std::string(text.data());
}

}  // namespace tilescope
