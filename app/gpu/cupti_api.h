#pragma once
#include <cuda.h>

#include <cstddef>
#include <cstdint>

// What the worker uses of CUPTI's range profiler (CUDA 12.6 and later): the parameter structs of
// cupti_range_profiler.h, cupti_profiler_host.h, cupti_profiler_target.h and cupti_target.h, whose
// fields, order and types are CUPTI's interface. Spelt out here, for the library is loaded at run
// time and its headers may be missing; tests/gpu/cupti_api_test.cpp compares them with the headers.
namespace tilescope::cupti {

struct HostObject;
struct RangeProfiler;

enum class ProfilerType : std::uint32_t { kRange = 0 };
enum class RangeMode : std::uint32_t { kUser = 2 };
enum class ReplayMode : std::uint32_t { kUser = 3 };

constexpr int kSuccess = 0;
constexpr int kInsufficientPrivileges = 35;
constexpr int kVirtualInsufficientPrivileges = 40;

struct Initialize {
  std::size_t size;
  void* reserved;
};
struct ChipName {
  std::size_t size;
  void* reserved;
  std::size_t device;
  const char* name;  // out
};
struct CounterAvailability {
  std::size_t size;
  void* reserved;
  CUcontext context;
  std::size_t bytes;    // in, out
  std::uint8_t* image;  // nullptr: asks for bytes
};

struct HostInitialize {
  std::size_t size;
  void* reserved;
  ProfilerType type;
  const char* chip;
  const std::uint8_t* availability;
  HostObject* host;  // out
};
struct HostDeinitialize {
  std::size_t size;
  void* reserved;
  HostObject* host;
};
struct AddMetrics {
  std::size_t size;
  void* reserved;
  HostObject* host;
  const char** names;
  std::size_t count;
};
struct ConfigSize {
  std::size_t size;
  void* reserved;
  HostObject* host;
  std::size_t bytes;  // out
};
struct ConfigImage {
  std::size_t size;
  void* reserved;
  HostObject* host;
  std::size_t bytes;
  std::uint8_t* image;
};
struct Evaluate {
  std::size_t size;
  void* reserved;
  HostObject* host;
  const std::uint8_t* counter_data;
  std::size_t counter_data_bytes;
  std::size_t range;
  const char** names;
  std::size_t count;
  double* values;  // out
};

struct Enable {
  std::size_t size;
  void* reserved;
  CUcontext context;
  RangeProfiler* profiler;  // out
};
struct OfProfiler {  // disable, start, pop, and the first fields of others
  std::size_t size;
  void* reserved;
  RangeProfiler* profiler;
};
struct CounterDataSize {
  std::size_t size;
  void* reserved;
  RangeProfiler* profiler;
  const char** names;
  std::size_t count;
  std::size_t most_ranges;
  std::uint32_t most_tree_nodes;
  std::size_t bytes;  // out
};
struct CounterDataInitialize {
  std::size_t size;
  void* reserved;
  RangeProfiler* profiler;
  std::size_t bytes;
  std::uint8_t* data;
};
struct SetConfig {
  std::size_t size;
  void* reserved;
  RangeProfiler* profiler;
  std::size_t config_bytes;
  const std::uint8_t* config;
  std::size_t counter_data_bytes;
  std::uint8_t* counter_data;
  RangeMode range;
  ReplayMode replay;
  std::size_t most_ranges;
  std::uint16_t nesting_levels;
  std::uint16_t least_nesting_level;
  std::size_t pass;
  std::uint16_t target_nesting_level;
};
struct PushRange {
  std::size_t size;
  void* reserved;
  RangeProfiler* profiler;
  const char* name;
};
struct Stop {
  std::size_t size;
  void* reserved;
  RangeProfiler* profiler;
  std::size_t pass;                  // out
  std::size_t target_nesting_level;  // out
  std::uint8_t all_passes_done;      // out
};
struct DecodeData {
  std::size_t size;
  void* reserved;
  RangeProfiler* profiler;
  std::size_t ranges_dropped;  // out
};

// Up to the end of the last field, as CUPTI counts it.
template <typename Params>
inline constexpr std::size_t kBytes = sizeof(Params);
template <>
inline constexpr std::size_t kBytes<SetConfig> = offsetof(SetConfig, target_nesting_level) +
                                                 sizeof(std::uint16_t);
template <>
inline constexpr std::size_t kBytes<Stop> = offsetof(Stop, all_passes_done) + sizeof(std::uint8_t);

// Every struct begins with its size and a pointer that stays null.
template <typename Params>
[[nodiscard]] Params make() {
  Params params{};
  params.size = kBytes<Params>;
  return params;
}

// Member, struct and symbol.
#define TILESCOPE_CUPTI_FUNCTIONS(X)                                                  \
  X(initialize, Initialize, "cuptiProfilerInitialize")                                \
  X(chip_name, ChipName, "cuptiDeviceGetChipName")                                    \
  X(counter_availability, CounterAvailability, "cuptiProfilerGetCounterAvailability") \
  X(host_initialize, HostInitialize, "cuptiProfilerHostInitialize")                   \
  X(host_deinitialize, HostDeinitialize, "cuptiProfilerHostDeinitialize")             \
  X(add_metrics, AddMetrics, "cuptiProfilerHostConfigAddMetrics")                     \
  X(config_size, ConfigSize, "cuptiProfilerHostGetConfigImageSize")                   \
  X(config_image, ConfigImage, "cuptiProfilerHostGetConfigImage")                     \
  X(evaluate, Evaluate, "cuptiProfilerHostEvaluateToGpuValues")                       \
  X(enable, Enable, "cuptiRangeProfilerEnable")                                       \
  X(disable, OfProfiler, "cuptiRangeProfilerDisable")                                 \
  X(counter_data_size, CounterDataSize, "cuptiRangeProfilerGetCounterDataSize")       \
  X(counter_data_initialize, CounterDataInitialize,                                   \
    "cuptiRangeProfilerCounterDataImageInitialize")                                   \
  X(set_config, SetConfig, "cuptiRangeProfilerSetConfig")                             \
  X(start, OfProfiler, "cuptiRangeProfilerStart")                                     \
  X(push_range, PushRange, "cuptiRangeProfilerPushRange")                             \
  X(pop_range, OfProfiler, "cuptiRangeProfilerPopRange")                              \
  X(stop, Stop, "cuptiRangeProfilerStop")                                             \
  X(decode_data, DecodeData, "cuptiRangeProfilerDecodeData")

}  // namespace tilescope::cupti
