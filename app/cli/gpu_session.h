#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/kernel_arguments.h"
#include "cli/run_report.h"
#include "core/result.h"
#include "gpu/worker_link.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// What `tilescope run` was asked for: one point or several.
struct RunPoints {
  std::vector<KernelInstance> instances;
  std::vector<Error> skipped;  // points whose parameters break a rule, where there are others
  bool single = true;          // one was asked for
};

// In place of a kernel: every one of the catalogue.
inline constexpr const char* kAllKernels = "*";

// Expands what names several: -p NAME=V1,V2, --size S1,S2, a family ("gemm") in place of a kernel,
// and with `each_value` every value that a slider offers, one parameter at a time, at the first
// size. Fails when no point is legal, with the first point's error.
[[nodiscard]] Result<RunPoints> expand_points(const KernelArguments& arguments, bool each_value,
                                              int* compute_capability);

// What the commands that need a GPU begin with: a worker, its device, and the launches asked for,
// compiled for that device unless --arch says otherwise.
struct GpuSession {
  std::unique_ptr<WorkerLink> link;
  DeviceInfo device;
  Peaks peaks;
  int compute_capability = 0;
  RunPoints points;
};
// Waits until the worker has answered.
[[nodiscard]] Result<DeviceInfo> wait_for_device(const WorkerLink& link);
[[nodiscard]] Result<GpuSession> open_gpu_session(const KernelArguments& arguments, bool each_value,
                                                  bool architecture_given);

// Compiles (with a cubin), runs and waits. `counters`: read these instead of timing, of the
// reference too where reference_counters.
[[nodiscard]] RunRow measure(GpuSession& session, KernelInstance instance,
                             const TimingOptions& timing,
                             const std::vector<std::string>& counters = {},
                             bool reference_counters = false);

// Asks for all_counters() of a row's launch, apart from the timed ones.
[[nodiscard]] RunRequest counter_request(const RunRow& row, TimingOptions timing);
// Moves what that request read into the row's result.
void put_counters(RunResult counted, RunRow* row);
// Sends that request, waits for it and puts what was read into the row.
[[nodiscard]] Status add_counters(GpuSession& session, TimingOptions timing, RunRow* row);

// Times a build that stamps the clock at each TILESCOPE_PHASE mark, and puts where the warps of a
// block in the middle of the grid were into the row. Error kUsage: the kernel has no such mark.
[[nodiscard]] Status add_phases(GpuSession& session, TimingOptions timing, RunRow* row);

// Adds the options that say how to time.
void add_timing_options(CommandOptions command, TimingOptions& timing);

// This process's arguments as a person would repeat them, without this machine's folders.
[[nodiscard]] std::string typed_command();

}  // namespace tilescope
