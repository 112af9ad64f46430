#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dim3.h"
#include "kernel/compile/compile.h"
#include "kernel/launch/instance.h"
#include "kernel/launch/phase_stamps.h"

namespace tilescope {

// What the worker says of its GPU when it starts.
struct DeviceInfo {
  std::string name;  // "NVIDIA H200"
  std::string uuid;  // tells GPUs of one name apart: "GPU-5c2d…"; empty: not told
  int visible = 1;   // GPUs that the worker's driver shows, this one included
  int compute_capability = 0;
  int multiprocessors = 0;
  double max_clock_hz = 0;  // SM
  std::uint64_t memory_bytes = 0;
  double memory_bytes_per_second =
      0;  // bus width x clock x 2, as the CUDA samples count it; 0: not told
  std::uint64_t l2_bytes = 0;
  std::string driver;          // "580.159.04"
  std::string cuda_driver;     // "13.0"
  std::string cublas;          // version, empty when it cannot be loaded
  std::string cublas_problem;  // why, when empty
};

struct TimingOptions {
  bool cold = true;  // flush the L2 before every sample
  // Launches of a quick kernel that are timed as soon as it has run once, before it is verified and
  // warm: they are told as they come, for a first point, and are no samples.
  int first_looks = 0;
  int warm_up = 3;    // launches
  int samples = 100;  // at most; each is one launch between two events
  // Stop when the medians of kernel and reference are known to this part of themselves
  // (SampleSet::known_to); 0: never.
  double relative_error = 0.002;
  double max_seconds = 1.5;  // and after this long in any case
  bool verify = true;
  bool reference = true;         // time cuBLAS or the device copy, interleaved
  double deadline_seconds = 10;  // a worker that has not answered by then is killed
};

struct RunRequest {
  KernelInstance instance;
  std::shared_ptr<const CompiledKernel> compiled;  // with cubin
  TimingOptions timing;
  // Nsight Compute's names. Where there are any they are read and nothing is timed: reading slows.
  std::vector<std::string> counters = {};
  bool reference_counters = false;  // and those of the reference's launches
  // The code is a build with_phase_stamps(): it is timed, and the stamps of a further launch read.
  bool has_phase_stamps = false;
  // Of instance.reference_kernel, where there is one and the result is verified: the link compiles
  // it when it sends the request.
  std::shared_ptr<const CompiledKernel> reference_compiled = nullptr;
};

// Why a GPU's clock is lower than it could be, as NVML gives it (nvmlClocksEventReasons).
enum ThrottleReason : std::uint64_t {
  kPowerCap = 0x4,
  kHardwareSlowdown = 0x8,
  kThermal = 0x20,
  kHardwareThermal = 0x40,
  kPowerBrake = 0x80,
};
inline constexpr std::uint64_t kThrottled =
    kPowerCap | kHardwareSlowdown | kThermal | kHardwareThermal | kPowerBrake;
// "power cap, temperature"; empty: not throttled.
[[nodiscard]] std::string throttle_text(std::uint64_t reasons);

// What the GPU was like during the samples. Absent: not readable.
struct MeasuredConditions {
  std::optional<double> sm_clock_before_hz;
  std::optional<double> sm_clock_after_hz;
  std::optional<double> temperature_before_celsius;
  std::optional<double> temperature_after_celsius;
  std::uint64_t throttle_reasons = 0;  // of all samples together, those in kThrottled
  int throttled_samples = 0;           // dropped, unless every one was
  bool all_throttled = false;          // then they were kept: there is nothing better
  int other_programs = 0;              // that computed on the GPU meanwhile; 0: none, or not told

  // By more than 2 %: the samples are not of one speed.
  [[nodiscard]] bool clock_moved() const;
  friend bool operator==(const MeasuredConditions&, const MeasuredConditions&) = default;
};

struct TimeSummary {
  int count = 0;
  double median_seconds = 0;
  double p5_seconds = 0;
  double p95_seconds = 0;
  double relative_error = 0;    // of the median
  std::vector<double> samples;  // seconds, in order
  friend bool operator==(const TimeSummary&, const TimeSummary&) = default;
};

// The answer to a RunRequest.
struct RunResult {
  TimeSummary kernel;
  std::optional<TimeSummary> reference;  // cuBLAS SGEMM or device-to-device copy, interleaved
  std::string reference_name;            // "cuBLAS SGEMM, FP32", "device copy"
  std::optional<TimeSummary> other;      // of a transpose: cuBLAS's, interleaved as well
  std::string other_name;                // "cuBLAS Sgeam"
  std::optional<double> max_error;       // absent: not verified; NaN counts as wrong
  double tolerance = 0;
  bool correct = true;  // !(max_error <= tolerance) makes it false
  bool cold = true;
  MeasuredConditions conditions;
  double flop = 0;  // of the problem, for rates
  double bytes = 0;
  int blocks_per_multiprocessor = 0;                 // as the driver computes it
  std::map<std::string, double> counters;            // those asked for
  std::vector<std::string> unknown_counters;         // asked for, but this GPU does not have them
  std::map<std::string, double> reference_counters;  // asked for; empty: there is no reference
  std::vector<PhaseStamp> phase_stamps;              // of a build that makes them, warp after warp
  friend bool operator==(const RunResult&, const RunResult&) = default;
};

// Whether the times are those of a GPU that was held back all the while, whose clock moved, or that
// another program used.
[[nodiscard]] bool is_doubtful(const MeasuredConditions& conditions);

// Beside such times in a table: "!", else " "; and what the mark says, a line.
[[nodiscard]] const char* doubt_mark(const MeasuredConditions& conditions);
inline constexpr const char* kDoubtLegend =
    "! the GPU's clock was held down throughout or moved meanwhile, or another program used the "
    "GPU: compare with care\n";

// What the GPU was like during the samples, a line; further lines warn.
[[nodiscard]] std::string conditions_text(const MeasuredConditions& conditions);

// "0.12 %": how well the median is known. Empty: of too few samples, or not on record.
[[nodiscard]] std::string certainty_text(const TimeSummary& times);

// The bits of throttle_text()'s words; others count for nothing.
[[nodiscard]] std::uint64_t throttle_reasons_of(std::string_view text);

}  // namespace tilescope
