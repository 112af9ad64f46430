#include "analysis/time/time_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "analysis/memory/coalescing.h"
#include "analysis/memory/launch_memory.h"
#include "analysis/study/kernel_study.h"
#include "analysis/time/launch_work.h"
#include "analysis/time/verdicts.h"
#include "core/quantity.h"

namespace tilescope {
namespace {

// Fitted to the recorded runs of the H200 that are not held out (docs/time_model.md says how), but
// for kLineCost, which was measured, and kBulkClocks, which was fitted to runs of an H100.
// A norm of parts is their sum where it is 1, and the largest alone where it is infinite.
constexpr double kPartsNorm = 1.855;  // of the parts that work, with no warp
constexpr double kPartsWarps = 39.9;  // more by 1 for so many
constexpr double kWaitNorm = 1.116;   // of work and waiting, with no warp
constexpr double kWaitWarps = 33.6;
constexpr double kBlocksNorm = 2.725;  // the same of several blocks whose warps meet at barriers
constexpr double kBlockNorm = 2.553;   // of the parts of one block's work, between its barriers
constexpr double kBurst = 1.996;       // of the L2's time for a block that waits for what it loads
constexpr double kLoadCost = 0.511;    // of a loaded sector, in those of MachineRates::l2_sectors
constexpr double kLineCost = 1.5;      // of a line, however few of its sectors a request wants
constexpr double kBulkClocks = 2100;   // from a bulk copy's issue until all of it is there
constexpr double kStartsNorm = 6;
constexpr double kQuarters = 4;  // of a multiprocessor
// A warp that waits less than this share of its time hides what it waits for.
constexpr double kHidden = 0.1;

bool is_execution(Limit limit) { return limit >= Limit::kIssue && limit <= Limit::kTensor; }

double norm_of(std::initializer_list<double> parts, double exponent) {
  const double largest = std::max(parts);
  if (largest <= 0) return 0;
  double sum = 0;
  for (const double part : parts) sum += std::pow(part / largest, exponent);
  return largest * std::pow(sum, 1 / exponent);
}

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
    case Limit::kAtomics:
      return "atomics";
    case Limit::kStarts:
      return "starting blocks";
    case Limit::kWaiting:
      return "latency";
  }
  return "";
}

Limit TimeBounds::first() const {
  return static_cast<Limit>(std::ranges::max_element(seconds) - seconds.begin());
}

double TimeBounds::total() const {
  const TimeBounds& self = *this;
  // An instruction takes its slot and its unit at the same time.
  double execution = 0;
  for (std::size_t i = 0; i < kLimits; ++i) {
    if (is_execution(static_cast<Limit>(i))) execution = std::max(execution, seconds[i]);
  }
  const double work = norm_of(
      {execution, self[Limit::kL1], self[Limit::kL2], self[Limit::kDram], self[Limit::kAtomics]},
      kPartsNorm + resident_warps / kPartsWarps);
  const double waiting = self[Limit::kWaiting];
  double inside = 0;
  if (has_barriers && resident_blocks <= 1) {
    inside = std::max(work, waiting);
  } else if (has_barriers) {
    inside = norm_of({work, waiting}, kBlocksNorm);
  } else {
    // Warps of a launch that fits at once do the same at the same time.
    const double mixed = 1 - 1 / std::max(rounds, 1.0);
    inside = norm_of({work, waiting}, kWaitNorm + resident_warps / kWaitWarps * mixed);
  }
  return launch + norm_of({inside, self[Limit::kStarts]}, kStartsNorm);
}

double resident_warps(const LaunchWork& work, const MachineRates& rates) {
  const double share = std::ceil(static_cast<double>(work.blocks) / rates.multiprocessors);
  return std::min(work.resident_blocks, share) * work.warps_per_block;
}

double imbalance(const LaunchWork& work, const MachineRates& rates) {
  const double mean = static_cast<double>(work.blocks) / rates.multiprocessors;
  return mean > 0 && !work.even ? std::ceil(mean) / mean : 1;
}

namespace {

// Lines that blocks ask the L2 for, where they ask for block_sectors.
double block_lines(const LaunchWork& work) {
  return work.loads.sectors > 0 ? work.block_sectors * work.loads.lines / work.loads.sectors : 0;
}

// In sectors at the rate of gpu-benches.
double l2_work(const LaunchWork& work, const MachineRates& rates) {
  const GlobalWork& stores = work.stores;
  const double whole = std::max(
      stores.sectors - stores.partial_sectors - work.atomics.sectors - work.atomics.again, 0.0);
  return std::max(kLoadCost * work.block_sectors, kLineCost * block_lines(work)) +
         kLoadCost * work.bulk_sectors + whole * rates.whole_write +
         stores.partial_sectors * rates.partial_write + stores.lines * rates.line_write;
}

// How many slices of the L2 hold the addresses: fewer than there are pieces, as several pieces lie
// in one slice.
double atomic_slices(const AtomicWork& work, const MachineRates& rates) {
  const double pieces = std::max(work.bytes / rates.atomic_slice_bytes, 1.0);
  return std::max(1 / (1 / pieces + 1 / rates.atomic_slices), 1.0);
}

double atomic_clocks(const AtomicWork& work, const MachineRates& rates) {
  if (work.lanes <= 0) return 0;
  constexpr double kWordBytes = 4;
  const double slices =
      (work.sectors + work.again) * rates.atomic_turn_clocks / atomic_slices(work, rates);
  const double addresses = std::max(work.bytes / kWordBytes, 1.0);
  return std::max(slices, work.lanes / addresses * rates.atomic_address_clocks);
}

// Clocks of a block that works for `works` on what bulk copies bring, and in `waits` the share of
// them that it waits for copies. A stage of its ring is filled, worked on and only then filled
// again. The first one is waited for, and at the end what is stored.
double bulk_clocks(const LaunchWork& work, double works, const MachineRates& rates, double* waits) {
  const double stages = std::max(work.bulk_stages, 1.0);
  const double refills = std::max(work.bulk_arrivals - stages, 0.0);
  const double cycles = (refills * kBulkClocks + works) / stages;
  const double stores = work.stores.sectors / std::max(static_cast<double>(work.blocks), 1.0) *
                        rates.whole_write / (rates.l2_sectors / rates.multiprocessors);
  const double all = kBulkClocks + std::max(works, cycles) + stores;
  *waits = (all - works) / all;
  return all;
}

// Clocks of a block that has the multiprocessor to itself.
double block_clocks(const LaunchWork& work, const MachineRates& rates, TimeBounds* found) {
  const TimeBounds& bounds = *found;
  const WarpPath& path = work.path;
  if (path.barriers == 0 && work.bulk_sectors <= 0) return path.clocks + rates.block_clocks;
  double execution = 0;
  for (std::size_t i = 0; i < kLimits; ++i) {
    if (is_execution(static_cast<Limit>(i))) execution = std::max(execution, bounds.seconds[i]);
  }
  // Blocks of a multiprocessor, and of the busiest one, whose time the bounds of its units are.
  const double blocks = std::max(static_cast<double>(work.blocks) / rates.multiprocessors, 1.0);
  const double each = rates.clock_hz / (work.even ? blocks : std::ceil(blocks));
  // What the whole block does between barriers takes longer than what one of its warps does.
  const double own = norm_of({execution * each, bounds[Limit::kL1] * each, path.busy}, kBlockNorm);
  if (work.bulk_sectors > 0) {
    // Copies run beside the work. Only products of a warp group are waited for, before their
    // operands' place is given back.
    const double works =
        bounds[Limit::kTensor] > 0 ? own : std::max(execution, bounds[Limit::kL1]) * each;
    return bulk_clocks(work, std::max(path.clocks, works), rates, &found->bulk_waits);
  }
  const double loads = kLoadCost * work.block_sectors / rates.l2_sectors / blocks;
  const double exposed =
      path.clocks > 0 ? std::min(path.far_waits / (kHidden * path.clocks), 1.0) : 0;
  return std::max(path.clocks - path.busy, 0.0) + own + kBurst * loads * exposed +
         rates.block_clocks;
}

}  // namespace

TimeBounds bounds_of(const LaunchWork& work, const MachineRates& rates) {
  TimeBounds bounds;
  bounds.launch = rates.launch_seconds;
  bounds.resident_warps = resident_warps(work, rates);
  bounds.resident_blocks = bounds.resident_warps / std::max(work.warps_per_block, 1.0);
  bounds.has_barriers = work.path.barriers > 0;
  const double at_once = work.resident_blocks * rates.multiprocessors;
  bounds.rounds = static_cast<double>(work.blocks) / at_once;
  const auto set = [&](Limit limit, double seconds) {
    bounds.seconds[static_cast<std::size_t>(limit)] = seconds;
  };
  // Seconds of `amount` spread over the multiprocessors, each of which does `rate` of it a clock.
  const double busiest = imbalance(work, rates) / (rates.multiprocessors * rates.clock_hz);
  const auto spread = [&](double amount, double rate) {
    return rate > 0 ? amount / rate * busiest : 0;
  };
  const PipeWork& pipes = work.pipes;
  set(Limit::kDram, (work.dram_read_bytes + work.dram_write_bytes + work.dram_other_bytes) /
                        rates.dram_bytes_per_second);
  set(Limit::kL2, l2_work(work, rates) / (rates.l2_sectors * rates.clock_hz));
  set(Limit::kL1, spread(work.shared_wavefronts + work.loads.wavefronts + work.stores.wavefronts,
                         rates.wavefronts));
  set(Limit::kIssue, spread(pipes.issued, rates.issue_slots));
  // The FMA units take products of integers too.
  set(Limit::kFp32,
      std::max(spread(pipes.fp32 * 32, rates.fp32_lanes), spread(pipes.fma_clocks, kQuarters)));
  set(Limit::kFp64, spread(pipes.fp64 * 32, rates.fp64_lanes));
  set(Limit::kHalf, spread(pipes.half * 32, rates.half_lanes));
  set(Limit::kInteger, spread(std::max(pipes.integer, pipes.multiply) * 32, rates.integer_lanes));
  set(Limit::kSpecial, spread(pipes.special * 32, rates.special_lanes));
  set(Limit::kTensor, spread(pipes.tensor_flop, rates.tensor_flop));
  set(Limit::kAtomics, atomic_clocks(work.atomics, rates) / rates.clock_hz);
  const auto blocks = static_cast<double>(work.blocks);
  set(Limit::kStarts,
      std::max(blocks * rates.block_start_clocks,
               blocks * work.warps_per_block * rates.warp_start_clocks / rates.multiprocessors) /
          rates.clock_hz);
  set(Limit::kWaiting,
      (work.even ? std::max(bounds.rounds, 1.0) : std::max(std::ceil(bounds.rounds), 1.0)) *
          block_clocks(work, rates, &bounds) / rates.clock_hz);
  return bounds;
}

std::optional<TimeRange> range_of(const TimeBounds& bounds, const MachineRates& rates) {
  const double total = bounds.total();
  double least = 1;
  double most = 1;
  std::string_view why;
  if (bounds[Limit::kAtomics] > total / 2) {
    // Modelled over measured times of the histograms of an H200 that no constant was fitted to
    // (docs/time_model.md).
    constexpr double kLeastRatio = 0.70;
    constexpr double kMostRatio = 1.54;
    least = 1 / kMostRatio;
    most = 1 / kLeastRatio;
    why = "the data decides which atomics meet";
  }
  if (!rates.own) {
    // A guess: no time of another architecture has been compared.
    constexpr double kUnknownGpu = 2;
    least = std::min(least, 1 / kUnknownGpu);
    most = std::max(most, kUnknownGpu);
    why = "nothing was measured on this architecture ('tilescope model calibrate' does)";
  }
  if (why.empty()) return std::nullopt;
  return TimeRange{least * total, most * total, why};
}

std::string time_words(const TimeBounds& bounds, const MachineRates& rates) {
  const auto range = range_of(bounds, rates);
  if (!range) return format(bounds.total(), Unit::kSeconds);
  const auto least = format(range->least, Unit::kSeconds);
  return fmt::format("{} to {}, as {}", least, format(range->most, Unit::kSeconds), range->why);
}

namespace {

// With the trace of its PTX: what is followed where the machine code cannot be.
Result<std::shared_ptr<const KernelStudy>> with_trace(const KernelStudy& study,
                                                      std::size_t most_events,
                                                      const std::stop_token& stop) {
  DeviceMemory memory = writable_copy(study.instance, *study.memory);
  auto trace = trace_block(*study.program, study.launch, memory, study.block, most_events, stop);
  if (!trace) return std::move(trace).error();
  auto traced = std::make_shared<KernelStudy>(study);
  traced->complete = trace->complete;
  traced->trace = std::make_shared<const BlockTrace>(*std::move(trace));
  return std::shared_ptr<const KernelStudy>(std::move(traced));
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
  // The cubin first: its PTX is in the cache then, and the source is compiled once.
  static_cast<void>(compile({request.instance, device.compute_capability, true}, stop));
  auto study = prepare_study(request, stop);
  if (study) study = with_resources(*std::move(study), device, stop);
  if (study) study = with_counts(*std::move(study), request.workers, stop);
  if (!study) return std::move(study).error();
  const std::optional<BlockTrace> issued = trace_issued(**study);
  if (!issued) study = with_trace(**study, request.most_events, stop);
  if (!study) return std::move(study).error();
  if (auto reason = not_modelled(**study); !reason.empty()) {
    return Error{ErrorCode::kKernel, std::move(reason), "", {}};
  }
  const MachineRates rates = rates_of(device);
  const LaunchWork work = work_of(**study, issued, rates);
  if (work.pipes.issued <= 0) {
    return Error{ErrorCode::kKernel, "the model has no counters for it", "", {}};
  }
  const TimeBounds bounds = bounds_of(work, rates);
  return ModelledTime{bounds.total(), *(*study)->compiled, work, bounds};
}

}  // namespace tilescope
