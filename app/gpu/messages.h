#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/dim3.h"
#include "kernel/compile.h"
#include "kernel/instance.h"

namespace tilescope {

// What the worker says of its GPU when it starts.
struct DeviceInfo {
  std::string name;  // "NVIDIA H200"
  int compute_capability = 0;
  int multiprocessors = 0;
  double max_clock_hz = 0;  // SM
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  std::string driver;          // "580.159.04"
  std::string cuda_driver;     // "13.0"
  std::string cublas;          // version, empty when it cannot be loaded
  std::string cublas_problem;  // why, when empty
};

struct TimingOptions {
  bool cold = true;          // flush the L2 before every sample
  int warm_up = 3;           // launches
  int samples = 20;          // event-timed launches (each one launch)
  double max_seconds = 1.5;  // stop sampling after this long
  bool verify = true;
  bool reference = true;         // time cuBLAS or the device copy, interleaved
  double deadline_seconds = 10;  // a worker that has not answered by then is killed
};

struct RunRequest {
  KernelInstance instance;
  std::shared_ptr<const CompiledKernel> compiled;  // with cubin
  TimingOptions timing;
};

struct TimeSummary {
  int count = 0;
  double median_seconds = 0;
  double p5_seconds = 0;
  double p95_seconds = 0;
  std::vector<double> samples;  // seconds, in order
};

// The answer to a RunRequest.
struct RunResult {
  TimeSummary kernel;
  std::optional<TimeSummary> reference;  // cuBLAS SGEMM or device-to-device copy, interleaved
  std::string reference_name;            // "cuBLAS SGEMM, FP32", "device copy"
  std::optional<double> max_error;       // absent: not verified; NaN counts as wrong
  double tolerance = 0;
  bool correct = true;  // !(max_error <= tolerance) makes it false
  bool cold = true;
  std::optional<double> sm_clock_before_hz;  // absent: not readable
  std::optional<double> sm_clock_after_hz;
  double flop = 0;  // of the problem, for rates
  double bytes = 0;
};

}  // namespace tilescope
