#pragma once
#include <string>
#include <vector>

#include "analysis/machine_rates.h"
#include "core/device_table.h"
#include "kernel/catalogue.h"

namespace tilescope {

// Flop per second of the tensor cores, 16-bit operands; 0: not known.
[[nodiscard]] double tensor_peak(const MachineRates& rates);

// What a launch of this kernel can reach on the device at the most: flop per second for GEMM, by
// the type of its operands, and bytes per second for the rest. 0: not known.
[[nodiscard]] double peak_rate(const CatalogueEntry& entry, const DeviceModel& device);

// The same on the GPU of this name: `device`, or a row of the table. 0: it is neither.
[[nodiscard]] double peak_rate_on(const std::string& gpu, const CatalogueEntry& entry,
                                  const DeviceModel& device, const std::vector<DeviceModel>& table);

}  // namespace tilescope
