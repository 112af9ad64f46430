#pragma once
#include <functional>
#include <optional>

#include "core/result.h"
#include "gpu/device_buffer.h"
#include "gpu/gpu_device.h"

namespace tilescope {

// Times work on the GPU's stream with CUDA events. The work before the first event keeps the stream
// busy while both events and the work are queued, so no launch latency is timed.
class LaunchTimer {
 public:
  using Queue = std::function<Status()>;

  // Cold: `flush`, larger than the L2, is overwritten before each sample.
  // Warm: the work itself runs untimed before each sample, so that the L2 is as it left it.
  [[nodiscard]] static Result<LaunchTimer> make(const GpuDevice& gpu, const DeviceBuffer* flush);
  ~LaunchTimer();
  LaunchTimer(LaunchTimer&& other) noexcept;
  LaunchTimer& operator=(LaunchTimer&&) = delete;

  // One sample in seconds; waits for it. `expected_seconds`: about what it takes.
  [[nodiscard]] Result<double> sample(const Queue& work, double expected_seconds,
                                      const std::string& kernel_id);

 private:
  explicit LaunchTimer(const GpuDevice& gpu, const DeviceBuffer* flush)
      : gpu_(&gpu), flush_(flush) {}

  const GpuDevice* gpu_;
  const DeviceBuffer* flush_;
  CUevent start_ = nullptr;
  CUevent stop_ = nullptr;
  std::uint8_t flush_value_ = 0;
};

}  // namespace tilescope
