#include "analysis/latency_model.h"

#include "analysis/machine_rates.h"

namespace tilescope {
namespace {

constexpr std::string_view kHuerta =
    "Huerta et al., Analyzing Modern NVIDIA GPU cores, 2025 (arXiv 2503.20481)";
constexpr std::string_view kLuo =
    "Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU Architecture, 2024 "
    "(arXiv 2402.13499)";
constexpr std::string_view kBenches =
    "gpu-benches (RRZE Erlangen, github.com/RRZE-HPC/gpu-benches), tables of the H100 and H200";
constexpr std::string_view kAssumed = "assumed: no published figure was at hand";

constexpr std::array<LatencyDescription, kLatencyCount> kDescriptions{{
    {Latency::kArithmetic, "arithmetic", "cycles", 4, 1, 32, kHuerta},
    {Latency::kDouble, "double precision", "cycles", 8, 1, 64, kAssumed},
    {Latency::kSpecial, "special function", "cycles", 20, 1, 64, kAssumed},
    {Latency::kTensor, "matrix product", "cycles", 33, 1, 128, kLuo},
    {Latency::kBranch, "branch", "cycles", 6, 1, 64, kAssumed},
    {Latency::kShared, "shared load", "cycles", 29, 1, 200, kLuo},
    {Latency::kL1, "L1 hit", "cycles", 38, 1, 400, kBenches},
    {Latency::kL2, "L2 hit", "cycles", 260, 1, 2000, kLuo},
    {Latency::kDram, "DRAM", "cycles", 850, 1, 4000,
     "570 to 860 cycles measured on an H100 and an H200: RRZE gpu-benches; the upper end fits the "
     "recorded runs that only wait for memory"},
    {Latency::kBarrier, "barrier", "cycles", 20, 1, 400, kAssumed},
    {Latency::kL2Rate, "L2 rate", "B/cycle", 32, 1, 256, kBenches},
    {Latency::kDramRate, "DRAM rate", "B/cycle", 16, 0.1, 256,
     "88 % of the device's memory bandwidth, which the recorded device copy reaches, per "
     "multiprocessor and cycle at boost clock"},
}};

}  // namespace

std::span<const LatencyDescription> latency_descriptions() { return kDescriptions; }

const LatencyDescription& description_of(Latency latency) {
  return kDescriptions[static_cast<std::size_t>(latency)];
}

LatencyModel usual_latencies(const DeviceModel& device) {
  LatencyModel model;
  for (const LatencyDescription& each : kDescriptions) {
    model.value[static_cast<std::size_t>(each.latency)] = each.usual;
  }
  if (device.memory_bytes_per_second > 0 && device.boost_clock_hz > 0 &&
      device.multiprocessors > 0) {
    model.value[static_cast<std::size_t>(Latency::kDramRate)] =
        rates_of(device).dram_bytes_per_second / device.boost_clock_hz / device.multiprocessors;
  }
  return model;
}

}  // namespace tilescope
