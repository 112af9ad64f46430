#include "gpu/launch_timer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope {
namespace {

// Queueing two events and a launch takes the CPU some 5 us; this much work hides it.
constexpr double kHidingSeconds = 20e-6;
constexpr int kMostHidingLaunches = 16;

}  // namespace

Result<LaunchTimer> LaunchTimer::make(const GpuDevice& gpu, const DeviceBuffer* flush) {
  LaunchTimer timer(gpu, flush);
  const CudaDriver& driver = gpu.driver();
  for (CUevent* event : {&timer.start_, &timer.stop_}) {
    if (Status s = driver.check(driver.cuEventCreate(event, CU_EVENT_DEFAULT), "make an event");
        !s) {
      return s.error();
    }
  }
  return timer;
}

LaunchTimer::LaunchTimer(LaunchTimer&& other) noexcept
    : gpu_(other.gpu_),
      flush_(other.flush_),
      start_(std::exchange(other.start_, nullptr)),
      stop_(std::exchange(other.stop_, nullptr)),
      flush_value_(other.flush_value_) {}

LaunchTimer::~LaunchTimer() {
  for (CUevent event : {start_, stop_}) {
    if (event != nullptr) gpu_->driver().cuEventDestroy(event);
  }
}

Result<double> LaunchTimer::sample(const Queue& work, double expected_seconds,
                                   const std::string& kernel_id) {
  const CudaDriver& driver = gpu_->driver();
  if (flush_ != nullptr) {
    if (Status s = flush_->queue_set(++flush_value_); !s) return s.error();
  } else {
    const double launches = std::ceil(kHidingSeconds / std::max(expected_seconds, 1e-9));
    const int hiding = static_cast<int>(std::clamp(launches, 1.0, double{kMostHidingLaunches}));
    for (int i = 0; i < hiding; ++i) {
      if (Status s = work(); !s) return s.error();
    }
  }
  if (Status s = driver.check(driver.cuEventRecord(start_, gpu_->stream()), "record an event");
      !s) {
    return s.error();
  }
  if (Status s = work(); !s) return s.error();
  if (Status s = driver.check(driver.cuEventRecord(stop_, gpu_->stream()), "record an event"); !s) {
    return s.error();
  }
  const CUresult waited = driver.cuEventSynchronize(stop_);
  if (Status s = gpu_->check_kernel(waited, kernel_id, "wait for the GPU"); !s) return s.error();
  float milliseconds = 0;
  const CUresult read = driver.cuEventElapsedTime(&milliseconds, start_, stop_);
  if (Status s = driver.check(read, "read an event"); !s) return s.error();
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace tilescope
