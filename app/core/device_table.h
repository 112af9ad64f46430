#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace tilescope {

// Static shared memory of a block, in bytes, on every GPU; more is given at the launch alone, after
// opting in (CUDA programming guide, compute capabilities).
inline constexpr int kMostStaticSharedBytes = 48 << 10;

// What `tilescope model calibrate` measured of a GPU (gpu/calibration.h has the kernels). Clocks
// are those of the multiprocessors; latencies are of one thread, with nothing else under way, from
// a load's issue until the next one that needs it.
struct MeasuredRates {
  std::string date;               // "2026-11-27"
  std::string driver;             // "580.159.04"
  double launch_seconds = 0;      // of an empty kernel
  double block_start_clocks = 0;  // of the whole GPU, until it can start the next block
  double warp_start_clocks = 0;   // of a multiprocessor; at the most, where blocks start slowly
  double barrier_clocks = 0;      // __syncthreads() takes these and, for each warp of the block,
  double barrier_warp_clocks = 0;
  double shared_latency = 0;  // clocks
  double l1_latency = 0;
  double l2_latency = 0;
  double dram_latency = 0;
  double l2_sectors = 0;             // of 32 B, whole lines, per clock and multiprocessor
  double dram_bytes_per_second = 0;  // a copy's, read and written
  double atomic_address_clocks = 0;  // for each lane that adds to one address of the whole GPU
  double tensor_flop = 0;            // mma.sync, 16-bit operands, sums in FP32, per clock and
                                     // multiprocessor; 0: not measured, before sm_80
  friend bool operator==(const MeasuredRates&, const MeasuredRates&) = default;
};

// Limits and rates of one GPU model; a row of assets/devices.json, which names its source, or a GPU
// that was calibrated: then boost_clock_hz is the clock that it held under load.
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
  // Caches and memory: datasheets and whitepapers; of B200, Thor and GB10 as their drivers say.
  int l1_bytes_per_multiprocessor = 0;  // shared memory is a part of it, or beside it before Volta
  std::int64_t l2_bytes = 0;            // 0: it has none
  std::int64_t memory_bytes = 0;
  int memory_bus_bits = 0;
  int fp32_lanes_per_multiprocessor = 0;
  double boost_clock_hz = 0;
  double memory_bytes_per_second = 0;  // datasheet
  std::string source;
  std::optional<MeasuredRates> measured = {};

  // clock x lanes x 2, as the seeds count it
  friend bool operator==(const DeviceModel&, const DeviceModel&) = default;

  [[nodiscard]] double peak_fp32_flop_per_second() const {
    return boost_clock_hz * multiprocessors * fp32_lanes_per_multiprocessor * 2.0;
  }
};

// The rows of a file like assets/devices.json.
[[nodiscard]] Result<std::vector<DeviceModel>> load_device_table(const std::filesystem::path& json);

// Those that come with the program, then those of this user's GPUs (calibrated_directory()).
[[nodiscard]] Result<std::vector<DeviceModel>> load_devices();

// Where descriptions of calibrated GPUs lie, one a file: data_directory()/gpus.
[[nodiscard]] std::filesystem::path calibrated_directory();
// "NVIDIA_H100_80GB_HBM3.json" in it.
[[nodiscard]] std::filesystem::path calibrated_file(const DeviceModel& device);
// The text of such a file: a device table with one row.
[[nodiscard]] std::string calibrated_text(const DeviceModel& device);

// The first row that comes with the program and has this compute capability; sm_90 is the H200, the
// GPU that is recorded.
[[nodiscard]] const DeviceModel* find_device(const std::vector<DeviceModel>& table,
                                             int compute_capability);

// The table's row for this compute capability, a calibrated GPU's before others, or the nearest
// below it under that capability.
[[nodiscard]] DeviceModel device_model_for(const std::vector<DeviceModel>& table,
                                           int compute_capability);

// "NVIDIA H100 80GB HBM3, calibrated 2026-11-27": the GPU that a modelled figure is of, and whose
// rates it has.
[[nodiscard]] std::string name_with_calibration(const DeviceModel& device);

}  // namespace tilescope
