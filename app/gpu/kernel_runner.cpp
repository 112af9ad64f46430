#include "gpu/kernel_runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/result.h"
#include "gpu/device_buffer.h"
#include "gpu/gpu_device.h"
#include "gpu/kernel_module.h"
#include "gpu/sample_set.h"

namespace tilescope {
namespace {

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

// Queueing two events and a launch takes the CPU some 5 us; this much work hides it.
constexpr double kHidingSeconds = 20e-6;
constexpr int kMostHidingLaunches = 16;

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

using Clock = std::chrono::steady_clock;

constexpr double kQuickSeconds = 0.05;  // of a launch that may be repeated for a first point
constexpr std::uint64_t kLeastFlushBytes = std::uint64_t{32} << 20;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What one request is done with.
struct Work {
  const RunMessage& run;
  const KernelModule& kernel;
  const ReferenceWork* reference;  // nullptr: none
  LaunchTimer& timer;
  const KernelRunner::Watcher& watcher;

  [[nodiscard]] const std::string& id() const { return run.request.instance.id; }
  [[nodiscard]] const TimingOptions& timing() const { return run.request.timing; }
  [[nodiscard]] LaunchTimer::Queue launch() const {
    return [this] { return kernel.launch(); };
  }
  [[nodiscard]] LaunchTimer::Queue launch_reference() const {
    return [this] { return reference->queue(); };
  }
  [[nodiscard]] bool has_other() const {
    return reference != nullptr && !reference->other_name().empty();
  }
  [[nodiscard]] LaunchTimer::Queue launch_other() const {
    return [this] { return reference->queue_other(); };
  }
};

Error cancelled() {
  return {ErrorCode::kCancelled, "it was cancelled while it was measured", "", {}};
}

// Times the kernel as it stands there, before anything else is known of it.
Status take_first_looks(const Work& work) {
  constexpr double kNotKnownYet = 100e-6;
  for (int i = 0; i < work.timing().first_looks; ++i) {
    if (work.watcher.is_cancelled()) return cancelled();
    auto seconds = work.timer.sample(work.launch(), kNotKnownYet, work.id());
    if (!seconds) return seconds.error();
    work.watcher.sample(*seconds);
  }
  return ok_status();
}

// Launches until both the count and the clock rate have settled: what they take on average.
struct Expected {
  double kernel_seconds = 0;
  double reference_seconds = 0;
  double other_seconds = 0;
};

Result<double> warm_up(const GpuDevice& gpu, const Work& work, const LaunchTimer::Queue& launch) {
  const auto start = Clock::now();
  int launches = 0;
  do {
    if (work.watcher.is_cancelled()) return cancelled();
    if (Status s = launch(); !s) return s.error();
    if (Status s = gpu.finish(work.id()); !s) return s.error();
    ++launches;
  } while (launches < work.timing().warm_up &&
           seconds_since(start) < work.timing().max_seconds / 2);
  return seconds_since(start) / launches;
}

Result<Expected> warm_up(const GpuDevice& gpu, const Work& work) {
  Expected expected;
  auto kernel = warm_up(gpu, work, work.launch());
  if (!kernel) return kernel.error();
  expected.kernel_seconds = *kernel;
  if (work.reference == nullptr) return expected;
  auto reference = warm_up(gpu, work, work.launch_reference());
  if (!reference) return reference.error();
  expected.reference_seconds = *reference;
  if (!work.has_other()) return expected;
  auto other = warm_up(gpu, work, work.launch_other());
  if (!other) return other.error();
  expected.other_seconds = *other;
  return expected;
}

Result<SampleTurn> take_turn(const Work& work, const Expected& expected) {
  SampleTurn turn;
  auto kernel = work.timer.sample(work.launch(), expected.kernel_seconds, work.id());
  if (!kernel) return kernel.error();
  turn.kernel = *kernel;
  if (work.reference == nullptr) return turn;
  auto reference =
      work.timer.sample(work.launch_reference(), expected.reference_seconds, work.id());
  if (!reference) return reference.error();
  turn.reference = *reference;
  if (!work.has_other()) return turn;
  auto other = work.timer.sample(work.launch_other(), expected.other_seconds, work.id());
  if (!other) return other.error();
  turn.other = *other;
  return turn;
}

// Kernel and reference take turns, so that both see the same clocks and the same neighbours.
Status take_samples(const Work& work, const Expected& expected, const DeviceMonitor& monitor,
                    RunResult* result) {
  SampleSet samples;
  const auto start = Clock::now();
  for (int i = 0; i < work.timing().samples; ++i) {
    if (i > 0 && seconds_since(start) > work.timing().max_seconds) break;
    if (work.watcher.is_cancelled()) return cancelled();
    auto turn = take_turn(work, expected);
    if (!turn) return turn.error();
    work.watcher.sample(turn->kernel);
    samples.add(*turn, monitor.throttle_reasons().value_or(0));
    if (samples.known_to(work.timing().relative_error)) break;
  }
  if (work.reference != nullptr) {
    result->reference_name = work.reference->name();
    result->other_name = work.reference->other_name();
  }
  samples.summarise_into(result);
  return ok_status();
}

Status verify(const ReferenceWork& reference, ReferenceWork::KnownResult& known,
              RunResult* result) {
  auto comparison = reference.compare(known);
  if (!comparison) return comparison.error();
  result->max_error = comparison->max_error;
  result->tolerance = comparison->tolerance;
  result->correct = comparison->max_error <= comparison->tolerance;  // false for NaN
  return ok_status();
}

}  // namespace

Result<RunResult> KernelRunner::run(const RunMessage& run, const Watcher& watcher) {
  if (watcher.is_cancelled()) return cancelled();
  const TimingOptions& timing = run.request.timing;
  const std::string& id = run.request.instance.id;
  auto buffers = LaunchBuffers::make(gpu_, run, cache_, scratch_);
  if (!buffers) return buffers.error();
  auto kernel = KernelModule::load(gpu_, run.request, buffers->pointers(), &modules_);
  if (!kernel) return kernel.error();
  if (timing.cold && !flush_) {
    const std::uint64_t bytes = std::max(2 * gpu_.info().l2_bytes, kLeastFlushBytes);
    auto flush = DeviceBuffer::allocate(gpu_, bytes);
    if (!flush) return flush.error();
    flush_.emplace(*std::move(flush));
  }
  auto timer = LaunchTimer::make(gpu_, timing.cold ? &*flush_ : nullptr);
  if (!timer) return timer.error();

  // The last of these launches is checked: what it reads and writes is as if it were the only one.
  const auto launch_prepared = [&]() -> Status {
    if (Status s = buffers->queue_preparation(); !s) return s;
    if (Status s = kernel->launch(); !s) return s;
    return gpu_.finish(id);
  };
  const auto start = Clock::now();
  if (Status s = launch_prepared(); !s) return s.error();
  const bool counts = !run.request.counters.empty();
  if (!counts && timing.first_looks > 0 && seconds_since(start) < kQuickSeconds) {
    if (Status s = take_first_looks({run, *kernel, nullptr, *timer, watcher}); !s) return s.error();
    if (Status s = launch_prepared(); !s) return s.error();
  }
  if (Status s = buffers->check_guards(id); !s) return s.error();
  auto reference = ReferenceWork::make({gpu_, cache_, modules_}, run, *buffers, &reference_);
  if (!reference) return reference.error();

  RunResult result;
  result.cold = timing.cold;
  const ProblemCost cost = problem_cost(run.request.instance);
  result.flop = cost.flop;
  result.bytes = cost.bytes;
  if (timing.verify && *reference) {
    if (Status s = verify(**reference, known_, &result); !s) return s.error();
  }
  result.blocks_per_multiprocessor = kernel->blocks_per_multiprocessor();
  if (counts) {
    const ReferenceWork* counted =
        run.request.reference_counters && *reference && (*reference)->can_be_timed() ? &**reference
                                                                                     : nullptr;
    if (Status s = read_counters(run, *buffers, *kernel, counted, &result); !s) return s.error();
    return result;
  }
  const bool timed_reference = timing.reference && *reference && (*reference)->can_be_timed();
  const Work work{run, *kernel, timed_reference ? &**reference : nullptr, *timer, watcher};
  auto expected = warm_up(gpu_, work);
  if (!expected) return expected.error();
  MeasuredConditions& conditions = result.conditions;
  const DeviceMonitor& monitor = gpu_.monitor();
  const auto begin = std::chrono::system_clock::now();
  conditions.sm_clock_before_hz = monitor.sm_clock_hz();
  conditions.temperature_before_celsius = monitor.temperature_celsius();
  if (Status s = take_samples(work, *expected, monitor, &result); !s) return s.error();
  conditions.sm_clock_after_hz = monitor.sm_clock_hz();
  conditions.temperature_after_celsius = monitor.temperature_celsius();
  conditions.other_programs = monitor.others_since(begin);
  if (run.request.has_phase_stamps) {
    if (Status s = read_phase_stamps(run, *buffers, *kernel, &result); !s) return s.error();
  }
  return result;
}

Status KernelRunner::read_phase_stamps(const RunMessage& run, const LaunchBuffers& buffers,
                                       const KernelModule& kernel, RunResult* result) {
  std::vector<std::uint32_t> log(kStampLogWords);
  const auto log_address = kernel.variable(kStampLog, log.size() * sizeof log[0]);
  if (!log_address) return log_address.error();
  const CudaDriver& driver = gpu_.driver();
  const std::size_t bytes = log.size() * sizeof log[0];
  const CUresult zeroed = driver.cuMemcpyHtoD(*log_address, log.data(), bytes);
  if (Status s = driver.check(zeroed, "prepare the stamps"); !s) return s;
  if (Status s = buffers.queue_preparation(); !s) return s;
  if (run.request.timing.cold) {
    if (Status s = flush_->queue_set(0); !s) return s;
  }
  if (Status s = kernel.launch(); !s) return s;
  if (Status s = gpu_.finish(run.request.instance.id); !s) return s;
  const CUresult read = driver.cuMemcpyDtoH(log.data(), *log_address, bytes);
  if (Status s = driver.check(read, "read the stamps"); !s) return s;
  result->phase_stamps = tilescope::read_phase_stamps(log);
  return ok_status();
}

Status KernelRunner::read_counters(const RunMessage& run, const LaunchBuffers& buffers,
                                   const KernelModule& kernel, const ReferenceWork* reference,
                                   RunResult* result) {
  const auto prepare = [&]() -> Status {
    if (Status s = buffers.queue_preparation(); !s) return s;
    return run.request.timing.cold ? flush_->queue_set(0) : ok_status();
  };
  auto counters = counters_.read(
      run.request.counters, prepare, [&] { return kernel.launch(); }, run.request.instance.id);
  if (!counters) return counters.error();
  result->counters = std::move(counters->values);
  result->unknown_counters = std::move(counters->unknown);
  if (reference == nullptr) return ok_status();
  auto beside = counters_.read(
      run.request.counters, prepare, [&] { return reference->queue(); }, run.request.instance.id);
  if (!beside) return beside.error();
  result->reference_counters = std::move(beside->values);
  result->reference_name = reference->name();
  return ok_status();
}

}  // namespace tilescope
