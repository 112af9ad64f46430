#pragma once
#include <functional>

#include "core/result.h"
#include "gpu/gpu_device.h"
#include "gpu/launch_buffers.h"
#include "gpu/protocol.h"
#include "gpu/reference_work.h"

namespace tilescope {

// Runs, verifies and times kernels on one GPU; what it keeps between requests saves work only.
class Measurement {
 public:
  explicit Measurement(const GpuDevice& gpu) : gpu_(gpu), cache_(gpu) {}

  // on_sample gets each timed launch's seconds as it comes.
  [[nodiscard]] Result<RunResult> run(const RunMessage& request,
                                      const std::function<void(double)>& on_sample);

 private:
  const GpuDevice& gpu_;
  BufferCache cache_;
  ScratchBuffers scratch_;
  ReferenceWork::KnownResult known_;
  std::optional<DeviceBuffer> flush_;  // larger than the L2
};

}  // namespace tilescope
