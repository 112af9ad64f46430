#pragma once
#include <string>

#include "core/conditions.h"
#include "gpu/messages.h"
#include "kernel/catalogue/problem.h"
#include "kernel/launch/gemm_factors.h"

namespace tilescope {

// What was launched. Measurements of equal launches are measurements of the same point.
struct LaunchKey {
  std::string kernel;  // KernelInstance::id, as "gemm/naive"
  // A digest of its text (store/source_digest.h): kernel_source_hash() in the history and in
  // recorded runs, text_digest() in a session.
  std::string source;
  ParameterSet parameters;
  ParameterSet extents;
  GemmFactors factors;
  bool cold = true;         // the L2 before each launch
  std::string launch = {};  // launch_digest() of a file's kernel; else empty

  friend bool operator==(const LaunchKey&, const LaunchKey&) = default;
};

// What it was measured with.
struct Machine {
  std::string gpu;  // "NVIDIA H200"
  int compute_capability = 0;
  std::string driver;       // "580.159.04"
  std::string cuda_driver;  // "13.0"
  std::string compiler;     // "NVRTC 13.0"
  std::string cublas;       // "13.1.0"

  friend bool operator==(const Machine&, const Machine&) = default;
};
[[nodiscard]] Machine machine_of(const DeviceInfo& device, const CompiledKernel& compiled);

// One kernel with one set of parameters at one size, measured on one GPU.
struct Measurement {
  LaunchKey of;
  Machine machine;
  RunResult result;         // without the single samples; flop 0: its rate is in bytes/s
  std::string date;         // UTC, "2026-11-30"
  std::string worker = {};  // of several that measured: "ssh node3"

  friend bool operator==(const Measurement&, const Measurement&) = default;
};

// Names how a file's kernel is launched, and on what (kernel/launch/file_launch.h). Empty for a
// kernel of the catalogue.
[[nodiscard]] std::string launch_digest(const KernelInstance& instance);
// `source`: the digest of the instance's text.
[[nodiscard]] LaunchKey launch_key(const KernelInstance& instance, bool cold, std::string source);
// With kernel_source_hash(), as the history and recorded runs name it.
[[nodiscard]] LaunchKey recorded_key(const KernelInstance& instance, bool cold);
// What the worker answered, of today.
[[nodiscard]] Measurement measurement_of(const KernelInstance& instance, const RunResult& result,
                                         Machine machine = {});

// What sets the times of a measurement apart from others.
[[nodiscard]] Conditions conditions_of(const Measurement& measurement);

// Today in UTC, "2026-11-30".
[[nodiscard]] std::string today();

}  // namespace tilescope
