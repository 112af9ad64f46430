#pragma once

#include <functional>
#include <optional>

#include "core/result.h"
#include "gpu/counter_reader.h"
#include "gpu/gpu_device.h"
#include "gpu/kernel_module.h"
#include "gpu/launch_buffers.h"
#include "gpu/protocol.h"
#include "gpu/reference_work.h"

namespace tilescope {

// Runs, verifies and times kernels on one GPU, or reads their counters; what it keeps between
// requests saves work only.
class KernelRunner {
 public:
  explicit KernelRunner(const GpuDevice& gpu)
      : gpu_(gpu), cache_(gpu), modules_(gpu), counters_(gpu) {}

  struct Watcher {
    std::function<void(double)> sample;  // gets each timed launch's seconds as it comes
    std::function<bool()> is_cancelled;  // asked between launches
  };
  [[nodiscard]] Result<RunResult> run(const RunMessage& request, const Watcher& watcher);

 private:
  // The kernel's, and where they are asked for the reference's (nullptr: there is none).
  [[nodiscard]] Status read_counters(const RunMessage& request, const LaunchBuffers& buffers,
                                     const KernelModule& kernel, const ReferenceWork* reference,
                                     RunResult* result);

  [[nodiscard]] Status read_phase_stamps(const RunMessage& request, const LaunchBuffers& buffers,
                                         const KernelModule& kernel, RunResult* result);

  const GpuDevice& gpu_;
  BufferCache cache_;
  ScratchBuffers scratch_;
  ModuleCache modules_;
  ReferenceWork::KnownResult known_;
  std::optional<DeviceBuffer> reference_;  // what it wrote
  CounterReader counters_;
  std::optional<DeviceBuffer> flush_;  // larger than the L2
};

}  // namespace tilescope
