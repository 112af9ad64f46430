#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/device_table.h"

namespace tilescope {

// What both models of time, that of the pipeline (analysis/warp_timing.h) and that of the whole
// launch (analysis/time_model.h), and Little's law (analysis/littles_law.h) assume about a
// multiprocessor. For the pipeline a person may change each of them.
enum class Latency : std::uint8_t {
  kArithmetic,
  kDouble,
  kSpecial,
  kTensor,
  kBranch,
  kShared,
  kL1,
  kL2,
  kDram,
  kBarrier,
  kL2Rate,
  kDramRate,
};
inline constexpr std::size_t kLatencyCount = 12;

struct LatencyDescription {
  Latency latency;
  std::string_view name;    // "shared load"
  std::string_view unit;    // "cycles", "B/cycle"
  double usual;             // on an H200
  double least, most;       // that a person may set
  std::string_view source;  // a sentence: where the usual value is from
};
[[nodiscard]] std::span<const LatencyDescription> latency_descriptions();
// The row of one of them.
[[nodiscard]] const LatencyDescription& description_of(Latency latency);

struct LatencyModel {
  std::array<double, kLatencyCount> value{};  // by Latency
  [[nodiscard]] double operator[](Latency latency) const {
    return value[static_cast<std::size_t>(latency)];
  }
  friend bool operator==(const LatencyModel&, const LatencyModel&) = default;
};

// The usual values, with the DRAM rate of this device: its memory bandwidth per multiprocessor and
// cycle at boost clock.
[[nodiscard]] LatencyModel usual_latencies(const DeviceModel& device);

}  // namespace tilescope
