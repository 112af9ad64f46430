#include "core/device_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tilescope {
namespace {

DeviceModel device_from(const nlohmann::json& row) {
  DeviceModel device;
  row.at("name").get_to(device.name);
  row.at("compute_capability").get_to(device.compute_capability);
  row.at("multiprocessors").get_to(device.multiprocessors);
  row.at("max_threads_per_block").get_to(device.max_threads_per_block);
  row.at("max_threads_per_multiprocessor").get_to(device.max_threads_per_multiprocessor);
  row.at("max_blocks_per_multiprocessor").get_to(device.max_blocks_per_multiprocessor);
  row.at("registers_per_multiprocessor").get_to(device.registers_per_multiprocessor);
  row.at("registers_per_block").get_to(device.registers_per_block);
  row.at("shared_bytes_per_multiprocessor").get_to(device.shared_bytes_per_multiprocessor);
  row.at("shared_bytes_per_block").get_to(device.shared_bytes_per_block);
  row.at("shared_bytes_per_block_optin").get_to(device.shared_bytes_per_block_optin);
  row.at("reserved_shared_bytes_per_block").get_to(device.reserved_shared_bytes_per_block);
  row.at("fp32_lanes_per_multiprocessor").get_to(device.fp32_lanes_per_multiprocessor);
  row.at("boost_clock_hz").get_to(device.boost_clock_hz);
  row.at("memory_bytes_per_second").get_to(device.memory_bytes_per_second);
  row.at("source").get_to(device.source);
  return device;
}

}  // namespace

Result<std::vector<DeviceModel>> load_device_table(const std::filesystem::path& json) {
  std::ifstream file(json);
  if (!file) {
    return Error{ErrorCode::kMachine,
                 fmt::format("cannot read the device table {}", json.string()),
                 "Set TILESCOPE_RESOURCES to the folder with kernels/ and assets/",
                 {}};
  }
  try {
    const auto document = nlohmann::json::parse(file);
    std::vector<DeviceModel> table;
    for (const auto& row : document.at("devices")) table.push_back(device_from(row));
    return table;
  } catch (const nlohmann::json::exception& problem) {
    return Error{ErrorCode::kUsage, problem.what(), "", {json.string(), 0, 0}};
  }
}

const DeviceModel* find_device(const std::vector<DeviceModel>& table, int compute_capability) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const DeviceModel& device) {
    return device.compute_capability == compute_capability;
  });
  return found == table.end() ? nullptr : &*found;
}

DeviceModel device_model_for(const std::vector<DeviceModel>& table, int compute_capability) {
  assert(!table.empty());
  const DeviceModel* best = &table.front();
  for (const DeviceModel& device : table) {
    const bool nearer = best->compute_capability > compute_capability ||
                        device.compute_capability > best->compute_capability;
    if (device.compute_capability <= compute_capability && nearer) best = &device;
  }
  DeviceModel device = *best;
  device.compute_capability = compute_capability;
  return device;
}

}  // namespace tilescope
