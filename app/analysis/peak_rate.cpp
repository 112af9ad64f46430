#include "analysis/peak_rate.h"

#include <algorithm>

namespace tilescope {

double tensor_peak(const MachineRates& rates) {
  return rates.tensor_flop * rates.multiprocessors * rates.clock_hz;
}

double peak_rate(const CatalogueEntry& entry, const DeviceModel& device) {
  if (entry.problem != Problem::kGemm) return device.memory_bytes_per_second;
  const auto a = std::ranges::find(entry.arguments, Role::kA, &ArgumentTemplate::role);
  if (a == entry.arguments.end()) return 0;
  switch (a->type) {
    case ElementType::kF32:
      return device.peak_fp32_flop_per_second();
    case ElementType::kF16:
    case ElementType::kBf16:
      return tensor_peak(rates_of(device));
    default:
      return 0;
  }
}

double peak_rate_on(const std::string& gpu, const CatalogueEntry& entry, const DeviceModel& device,
                    const std::vector<DeviceModel>& table) {
  if (gpu == device.name) return peak_rate(entry, device);
  const auto row = std::ranges::find(table, gpu, &DeviceModel::name);
  return row == table.end() ? 0 : peak_rate(entry, *row);
}

}  // namespace tilescope
