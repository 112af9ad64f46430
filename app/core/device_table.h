#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace tilescope {

// Static shared memory of a block, in bytes, on every GPU; more is given at the launch alone, after
// opting in (CUDA programming guide, compute capabilities).
inline constexpr int kMostStaticSharedBytes = 48 << 10;

// Limits and rates of one GPU model; a row of assets/devices.json, which names its source.
struct DeviceModel {
  std::string name;            // "NVIDIA H200"
  int compute_capability = 0;  // 90 = sm_90
  int multiprocessors = 0;
  int max_threads_per_block = 1024;
  int max_threads_per_multiprocessor = 0;
  int max_blocks_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;
  int registers_per_block = 0;
  int shared_bytes_per_multiprocessor = 0;
  int shared_bytes_per_block = 0;        // static limit, 48 KiB
  int shared_bytes_per_block_optin = 0;  // dynamic, after opting in
  int reserved_shared_bytes_per_block = 0;
  int fp32_lanes_per_multiprocessor = 0;
  double boost_clock_hz = 0;
  double memory_bytes_per_second = 0;  // datasheet
  std::string source;

  // clock x lanes x 2, as the seeds count it
  friend bool operator==(const DeviceModel&, const DeviceModel&) = default;

  [[nodiscard]] double peak_fp32_flop_per_second() const {
    return boost_clock_hz * multiprocessors * fp32_lanes_per_multiprocessor * 2.0;
  }
};

[[nodiscard]] Result<std::vector<DeviceModel>> load_device_table(const std::filesystem::path& json);

// The first row with this compute capability; sm_90 is the H200, the GPU that is recorded.
[[nodiscard]] const DeviceModel* find_device(const std::vector<DeviceModel>& table,
                                             int compute_capability);

// The table's row for this compute capability, or the nearest below it under that capability.
[[nodiscard]] DeviceModel device_model_for(const std::vector<DeviceModel>& table,
                                           int compute_capability);

}  // namespace tilescope
