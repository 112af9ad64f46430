#include "analysis/time/time_model.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <utility>

#include "analysis/memory/coalescing.h"
#include "analysis/memory/launch_memory.h"
#include "analysis/study/kernel_study.h"
#include "analysis/time/launch_work.h"
#include "analysis/time/verdicts.h"

namespace tilescope {
namespace {

// With one warp a multiprocessor does one thing after the other: times add up (norm 1). The more
// warps it holds, the more it does at once: with 64 the largest alone counts, nearly (norm 5).
// Fitted to assets/recorded/h200.json.
constexpr double kWarpsPerNorm = 16;

bool is_execution(Limit limit) { return limit >= Limit::kIssue && limit <= Limit::kTensor; }
bool is_past_l1(Limit limit) { return limit == Limit::kDram || limit == Limit::kL2; }

}  // namespace

std::string_view name_of(Limit limit) {
  switch (limit) {
    case Limit::kDram:
      return "DRAM bandwidth";
    case Limit::kL2:
      return "L2 bandwidth";
    case Limit::kL1:
      return "shared memory and L1";
    case Limit::kIssue:
      return "instruction issue";
    case Limit::kFp32:
      return "FP32 units";
    case Limit::kFp64:
      return "FP64 units";
    case Limit::kHalf:
      return "FP16 units";
    case Limit::kInteger:
      return "integer units";
    case Limit::kSpecial:
      return "special function units";
    case Limit::kTensor:
      return "tensor cores";
    case Limit::kWaiting:
      return "latency";
  }
  return "";
}

Limit TimeBounds::first() const {
  return static_cast<Limit>(std::ranges::max_element(seconds) - seconds.begin());
}

double TimeBounds::total() const {
  // An instruction takes its slot and its unit at the same time.
  double execution = 0;
  double largest = 0;
  for (std::size_t i = 0; i < kLimits; ++i) {
    if (is_execution(static_cast<Limit>(i))) execution = std::max(execution, seconds[i]);
    largest = std::max(largest, seconds[i]);
  }
  if (largest <= 0) return launch;
  const double norm = 1 + resident_warps / kWarpsPerNorm;
  const double copy_norm = 1 + resident_warps * (1 + copies) / kWarpsPerNorm;
  double inside = std::pow(execution / largest, norm);
  double past_l1 = 0;
  for (std::size_t i = 0; i < kLimits; ++i) {
    const auto limit = static_cast<Limit>(i);
    if (is_execution(limit)) continue;
    if (is_past_l1(limit)) {
      past_l1 += std::pow(seconds[i] / largest, copy_norm);
    } else {
      inside += std::pow(seconds[i] / largest, norm);
    }
  }
  const double sum = past_l1 + std::pow(inside, copy_norm / norm);
  return launch + largest * std::pow(sum, 1 / copy_norm);
}

double resident_warps(const LaunchWork& work, const MachineRates& rates) {
  const double share = std::ceil(static_cast<double>(work.blocks) / rates.multiprocessors);
  return std::min(work.resident_blocks, share) * work.warps_per_block;
}

double imbalance(const LaunchWork& work, const MachineRates& rates) {
  const double mean = static_cast<double>(work.blocks) / rates.multiprocessors;
  return mean > 0 && !work.even ? std::ceil(mean) / mean : 1;
}

TimeBounds bounds_of(const LaunchWork& work, const MachineRates& rates) {
  TimeBounds bounds;
  bounds.launch = rates.launch_seconds;
  bounds.resident_warps = resident_warps(work, rates);
  bounds.copies = work.path.copies;
  const auto set = [&](Limit limit, double seconds) {
    bounds.seconds[static_cast<std::size_t>(limit)] = seconds;
  };
  // Seconds of `amount` spread over the multiprocessors, each of which does `rate` of it a clock.
  const double busiest = imbalance(work, rates) / (rates.multiprocessors * rates.clock_hz);
  const auto spread = [&](double amount, double rate) {
    return rate > 0 ? amount / rate * busiest : 0;
  };
  const PipeWork& pipes = work.pipes;
  set(Limit::kDram, (work.dram_read_bytes + work.dram_write_bytes) / rates.dram_bytes_per_second);
  set(Limit::kL2, (work.block_sectors + work.bulk_sectors + work.stores.sectors_ideal +
                   (work.stores.sectors - work.stores.sectors_ideal) * rates.partial_write) /
                      (rates.l2_sectors * rates.clock_hz));
  set(Limit::kL1, spread(work.shared_wavefronts + work.loads.wavefronts + work.stores.wavefronts,
                         rates.wavefronts));
  set(Limit::kIssue, spread(pipes.issued, rates.issue_slots));
  set(Limit::kFp32, spread(pipes.fp32 * 32, rates.fp32_lanes));
  set(Limit::kFp64, spread(pipes.fp64 * 32, rates.fp64_lanes));
  set(Limit::kHalf, spread(pipes.half * 32, rates.half_lanes));
  set(Limit::kInteger, spread(std::max(pipes.integer, pipes.multiply) * 32, rates.integer_lanes));
  set(Limit::kSpecial, spread(pipes.special * 32, rates.special_lanes));
  set(Limit::kTensor, spread(pipes.tensor_flop, rates.tensor_flop));
  const double at_once = work.resident_blocks * rates.multiprocessors;
  const double rounds = static_cast<double>(work.blocks) / at_once;
  set(Limit::kWaiting, (work.even ? std::max(rounds, 1.0) : std::ceil(rounds)) *
                           (work.path.clocks + rates.block_clocks) / rates.clock_hz);
  return bounds;
}

namespace {

// Compiled, with its first block's trace; the cubin is compiled meanwhile.
Result<std::shared_ptr<const KernelStudy>> traced_block(const StudyRequest& request,
                                                        const std::stop_token& stop) {
  auto prepared = prepare_study(request, stop);
  if (!prepared) return prepared;
  auto study = std::make_shared<KernelStudy>(**prepared);
  DeviceMemory memory = writable_copy(study->instance, *study->memory);
  const std::uint64_t block = std::min(request.block, study->launch.grid.count() - 1);
  auto trace =
      trace_block(*study->program, study->launch, memory, block, request.most_events, stop);
  if (!trace) return std::move(trace).error();
  study->complete = trace->complete;
  study->trace = std::make_shared<const BlockTrace>(*std::move(trace));
  return std::shared_ptr<const KernelStudy>(std::move(study));
}

// Where the machine code is not known, the PTX is counted.
Result<std::shared_ptr<const KernelStudy>> with_counts(std::shared_ptr<const KernelStudy> study,
                                                       unsigned workers,
                                                       const std::stop_token& stop) {
  auto counted = with_issued_counts(study, Counted::kSample, workers, stop);
  if (!counted || (*counted)->issued_counters) return counted;
  auto sample = run_sample(**counted, workers, stop);
  if (!sample) return std::move(sample).error();
  auto next = std::make_shared<KernelStudy>(**counted);
  next->counters = std::make_shared<const LaunchCounters>(std::move(sample->counters));
  return std::shared_ptr<const KernelStudy>(std::move(next));
}

}  // namespace

Result<ModelledTime> modelled_time(const StudyRequest& request, const DeviceModel& device,
                                   std::stop_token stop) {
  // Its result goes into the cache; with_resources() takes it there, or waits for it.
  const auto cubin = std::async(std::launch::async, [&request, &device, &stop] {
    return compile({request.instance, device.compute_capability, true}, stop).ok();
  });
  auto study = traced_block(request, stop);
  if (study) study = with_resources(*std::move(study), device, stop);
  if (study) study = with_counts(*std::move(study), request.workers, stop);
  if (!study) return std::move(study).error();
  if (auto reason = not_modelled(**study); !reason.empty()) {
    return Error{ErrorCode::kKernel, std::move(reason), "", {}};
  }
  const MachineRates rates = rates_of(device);
  const LaunchWork work = work_of(**study, rates);
  if (work.pipes.issued <= 0) {
    return Error{ErrorCode::kKernel, "the model has no counters for it", "", {}};
  }
  const TimeBounds bounds = bounds_of(work, rates);
  return ModelledTime{bounds.total(), *(*study)->compiled, work, bounds};
}

}  // namespace tilescope
