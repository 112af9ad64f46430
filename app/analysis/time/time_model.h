#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "analysis/study/kernel_study.h"
#include "analysis/time/launch_work.h"
#include "analysis/time/machine_rates.h"

namespace tilescope {

// What can limit a kernel.
enum class Limit : std::uint8_t {
  kDram,   // bytes that must come from or go to memory
  kL2,     // sectors between the L1s and the L2
  kL1,     // wavefronts of shared memory and L1: one 128-byte data stage a multiprocessor
  kIssue,  // warp instructions: one a scheduler and clock
  kFp32,
  kFp64,
  kHalf,
  kInteger,
  kSpecial,
  kTensor,
  kAtomics,  // lanes and warps that add to the same few places, one after the other
  kStarts,   // of blocks and warps
  kWaiting,  // latencies that the resident warps cannot fill
};
inline constexpr std::size_t kLimits = 13;
[[nodiscard]] std::string_view name_of(Limit limit);  // "DRAM bandwidth"

// How long a launch takes if one part of the GPU does all its work without a pause and nothing else
// counts, for each part; and all together. kWaiting is the time of blocks that have a
// multiprocessor to themselves, one after the other as they fit.
//
// The parts overlap the better the more warps there are. Warps that wait for each other at barriers
// are one customer: a block does its waiting, then its work; other blocks of the multiprocessor
// overlap with that, and nothing does where there is one alone. Starting blocks goes on beside all
// of it, and starting the launch is added.
//
// How good it is, where its numbers come from and what is not modelled: docs/time_model.md.
// tests/analysis/verdicts_test.cpp checks every kernel's defaults.
struct TimeBounds {
  std::array<double, kLimits> seconds{};
  double launch = 0;
  double resident_warps = 0;  // of a multiprocessor
  double resident_blocks = 0;
  double rounds = 0;  // launched blocks over those that all multiprocessors hold at once
  bool has_barriers = false;
  double bulk_waits = 0;  // 0..1 of a lone block's time, in which it waits for bulk copies
  [[nodiscard]] double operator[](Limit limit) const {
    return seconds[static_cast<std::size_t>(limit)];
  }
  [[nodiscard]] Limit first() const;  // the largest
  [[nodiscard]] double total() const;
};
[[nodiscard]] TimeBounds bounds_of(const LaunchWork& work, const MachineRates& rates);

// Where the model does not know enough for one number: between which times a launch lies.
struct TimeRange {
  double least = 0;  // seconds
  double most = 0;
  std::string_view why;  // "the data decides which atomics meet"
};
// The range around bounds.total(); nullopt: that number stands alone, with the errors of
// docs/time_model.md.
[[nodiscard]] std::optional<TimeRange> range_of(const TimeBounds& bounds,
                                                const MachineRates& rates);
// "38.0 µs", or "24.7 µs to 54.3 µs, as the data decides which atomics meet".
[[nodiscard]] std::string time_words(const TimeBounds& bounds, const MachineRates& rates);

// Resident warps of a multiprocessor.
[[nodiscard]] double resident_warps(const LaunchWork& work, const MachineRates& rates);

// Blocks of the busiest multiprocessor over the mean; 1 where they divide evenly.
[[nodiscard]] double imbalance(const LaunchWork& work, const MachineRates& rates);

// A launch's time by the model, and what it was made from.
struct ModelledTime {
  double seconds = 0;
  CompiledKernel compiled;  // the cubin, with its resources
  LaunchWork work;
  TimeBounds bounds;
};

// diagnose()'s time (analysis/time/verdicts.h) with less work: the source is compiled once, a
// sample of its machine code is emulated with `request.workers` threads, the PTX only where the
// machine code cannot be followed, and no cause is examined. kKernel: nothing can be modelled.
[[nodiscard]] Result<ModelledTime> modelled_time(const StudyRequest& request,
                                                 const DeviceModel& device, std::stop_token stop);

}  // namespace tilescope
