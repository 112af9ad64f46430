#include "core/device_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/paths.h"

namespace tilescope {
namespace {

// Calls `field(name, value)` for each part of a row.
template <typename Device, typename Field>
void for_each_field(Device& device, const Field& field) {
  field("name", device.name);
  field("compute_capability", device.compute_capability);
  field("multiprocessors", device.multiprocessors);
  field("max_threads_per_block", device.max_threads_per_block);
  field("max_threads_per_multiprocessor", device.max_threads_per_multiprocessor);
  field("max_blocks_per_multiprocessor", device.max_blocks_per_multiprocessor);
  field("registers_per_multiprocessor", device.registers_per_multiprocessor);
  field("registers_per_block", device.registers_per_block);
  field("shared_bytes_per_multiprocessor", device.shared_bytes_per_multiprocessor);
  field("shared_bytes_per_block", device.shared_bytes_per_block);
  field("shared_bytes_per_block_optin", device.shared_bytes_per_block_optin);
  field("reserved_shared_bytes_per_block", device.reserved_shared_bytes_per_block);
  field("l1_bytes_per_multiprocessor", device.l1_bytes_per_multiprocessor);
  field("l2_bytes", device.l2_bytes);
  field("memory_bytes", device.memory_bytes);
  field("memory_bus_bits", device.memory_bus_bits);
  field("fp32_lanes_per_multiprocessor", device.fp32_lanes_per_multiprocessor);
  field("boost_clock_hz", device.boost_clock_hz);
  field("memory_bytes_per_second", device.memory_bytes_per_second);
  field("source", device.source);
}

template <typename Rates, typename Field>
void for_each_rate(Rates& rates, const Field& field) {
  field("date", rates.date);
  field("driver", rates.driver);
  field("launch_seconds", rates.launch_seconds);
  field("block_start_clocks", rates.block_start_clocks);
  field("warp_start_clocks", rates.warp_start_clocks);
  field("barrier_clocks", rates.barrier_clocks);
  field("barrier_warp_clocks", rates.barrier_warp_clocks);
  field("shared_latency", rates.shared_latency);
  field("l1_latency", rates.l1_latency);
  field("l2_latency", rates.l2_latency);
  field("dram_latency", rates.dram_latency);
  field("l2_sectors", rates.l2_sectors);
  field("dram_bytes_per_second", rates.dram_bytes_per_second);
  field("atomic_address_clocks", rates.atomic_address_clocks);
  field("tensor_flop", rates.tensor_flop);
}

// Files of GPUs that were calibrated by an earlier version lack these fields: they are taken from
// the table's GPU of that compute capability.
bool is_later(std::string_view field) {
  return field == "l1_bytes_per_multiprocessor" || field == "l2_bytes" || field == "memory_bytes" ||
         field == "memory_bus_bits";
}

void take_memories(const std::vector<DeviceModel>& table, DeviceModel& device) {
  if (device.l1_bytes_per_multiprocessor != 0) return;
  const DeviceModel alike = device_model_for(table, device.compute_capability);
  device.l1_bytes_per_multiprocessor = alike.l1_bytes_per_multiprocessor;
  device.l2_bytes = alike.l2_bytes;
  device.memory_bytes = alike.memory_bytes;
  device.memory_bus_bits = alike.memory_bus_bits;
}

DeviceModel device_from(const nlohmann::json& row) {
  const auto read_from = [](const nlohmann::json& object) {
    return [&object](const char* name, auto& value) {
      if (object.contains(name) || !is_later(name)) object.at(name).get_to(value);
    };
  };
  DeviceModel device;
  for_each_field(device, read_from(row));
  if (row.contains("measured")) {
    for_each_rate(device.measured.emplace(), read_from(row.at("measured")));
  }
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

Result<std::vector<DeviceModel>> load_devices() {
  auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  if (!table) return table;
  std::vector<std::filesystem::path> files;
  std::error_code ignored;
  for (std::filesystem::directory_iterator at(calibrated_directory(), ignored), end;
       !ignored && at != end; at.increment(ignored)) {
    if (at->path().extension() == ".json") files.push_back(at->path());
  }
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files) {
    auto own = load_device_table(file);
    if (own) {
      for (DeviceModel& device : *own) take_memories(*table, device);
    }
    if (own && std::ranges::all_of(*own, [](const DeviceModel& device) {
          return device.measured.has_value() && device.boost_clock_hz > 0;
        })) {
      table->insert(table->end(), own->begin(), own->end());
      continue;
    }
    return Error{ErrorCode::kUsage,
                 own ? "it describes no calibrated GPU" : own.error().message,
                 "Delete the file; 'tilescope model calibrate' writes it anew",
                 {file.string(), 0, 0}};
  }
  return table;
}

std::filesystem::path calibrated_directory() { return data_directory() / "gpus"; }

std::filesystem::path calibrated_file(const DeviceModel& device) {
  std::string name = device.name;
  std::ranges::replace_if(
      name,
      [](char c) {
        constexpr std::string_view kPlain =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
            "0123456789-";
        return kPlain.find(c) == std::string_view::npos;
      },
      '_');
  return calibrated_directory() / (name + ".json");
}

std::string calibrated_text(const DeviceModel& device) {
  const auto write_to = [](nlohmann::ordered_json& object) {
    return [&object](const char* name, const auto& value) { object[name] = value; };
  };
  nlohmann::ordered_json row;
  for_each_field(device, write_to(row));
  if (device.measured) for_each_rate(*device.measured, write_to(row["measured"]));
  return nlohmann::ordered_json{{"devices", {row}}}.dump(2) + "\n";
}

const DeviceModel* find_device(const std::vector<DeviceModel>& table, int compute_capability) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const DeviceModel& device) {
    return device.compute_capability == compute_capability && !device.measured;
  });
  return found == table.end() ? nullptr : &*found;
}

DeviceModel device_model_for(const std::vector<DeviceModel>& table, int compute_capability) {
  assert(!table.empty());
  const DeviceModel* best = &table.front();
  for (const DeviceModel& device : table) {
    const bool nearer = best->compute_capability > compute_capability ||
                        device.compute_capability > best->compute_capability;
    const bool calibrated = device.compute_capability == compute_capability && device.measured &&
                            !(best->measured && best->compute_capability == compute_capability);
    if (device.compute_capability <= compute_capability && (nearer || calibrated)) best = &device;
  }
  DeviceModel device = *best;
  device.compute_capability = compute_capability;
  return device;
}

std::string name_with_calibration(const DeviceModel& device) {
  return device.measured ? fmt::format("{}, calibrated {}", device.name, device.measured->date)
                         : device.name;
}

}  // namespace tilescope
