#include "analysis/study_counts.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "analysis/block_sample.h"
#include "analysis/launch_memory.h"
#include "analysis/warp_order.h"
#include "core/parallel.h"
#include "emulator/finding_place.h"

namespace tilescope {
namespace {

LaunchCounters empty_counters(const Program& program) {
  const std::size_t size = program.instructions().size();
  LaunchCounters counters;
  counters.by_instruction.resize(size);
  counters.executed = ExecutionCounts(size);
  return counters;
}

void add_scaled(const std::vector<AccessCounters>& from, std::uint64_t weight, LaunchCounters* to) {
  for (std::size_t i = 0; i < from.size(); ++i) to->by_instruction[i] += from[i].scaled(weight);
}

void add_scaled(const ExecutionCounts& from, std::uint64_t weight, LaunchCounters* to) {
  for (std::size_t i = 0; i < from.warps.size(); ++i) {
    to->executed.warps[i] += from.warps[i] * weight;
    to->executed.lanes[i] += from.lanes[i] * weight;
    to->executed.threads[i] += from.threads[i] * weight;
    to->executed.divergent[i] += from.divergent[i] * weight;
  }
}

// Emulates blocks and adds what they do, `weight` times, to `counters`.
Result<Emulation> count_blocks(const KernelStudy& study, DeviceMemory& memory,
                               const EmulationOptions& options, std::uint64_t weight,
                               LaunchCounters* counters, const std::stop_token& stop) {
  auto emulation = emulate(
      *study.program, study.launch, memory, options,
      [&] { return std::make_unique<CountingSink>(*study.program); },
      [&](TraceSink& sink) {
        add_scaled(static_cast<CountingSink&>(sink).counters(), weight, counters);
      },
      stop);
  if (emulation) add_scaled(emulation->counts, weight, counters);
  return emulation;
}

// Larger buffers would take too much memory to mark: a bit each.
constexpr std::uint64_t kMostMarkedElements = std::uint64_t{1} << 30;

// Whether what the launch reaches of its buffers has to be found: the shape of one is not said, as
// in a file. What the machine issues reaches the same.
bool must_find_reach(const KernelStudy& study) {
  if (study.program->is_machine_code()) return false;
  bool unknown = false;
  for (const Argument& argument : study.instance.arguments) {
    if (!argument.is_pointer) continue;
    if (argument.buffer.count > kMostMarkedElements) return false;
    unknown |= argument.rows == 0;
  }
  return unknown;
}

// The whole grid, with what it reaches of its buffers.
Result<Emulation> count_reach(const KernelStudy& study, DeviceMemory& memory,
                              const EmulationOptions& options, LaunchCounters* counters,
                              const std::stop_token& stop) {
  std::optional<ReachSink> sum;
  auto emulation = emulate(
      *study.program, study.launch, memory, options,
      [&] { return std::make_unique<ReachSink>(*study.program, *study.memory); },
      [&](TraceSink& sink) {
        const auto& reached = static_cast<ReachSink&>(sink);
        add_scaled(reached.counters(), 1, counters);
        if (!sum) sum.emplace(*study.program, *study.memory);
        sum->merge(reached);
      },
      stop);
  if (!emulation) return emulation;
  add_scaled(emulation->counts, 1, counters);
  if (sum && emulation->complete) counters->reach = sum->reach();
  return emulation;
}

// More blocks than this are sampled.
constexpr std::uint64_t kCountAllUpTo = 8;

void add_run(const Emulation& from, Emulation* to) {
  to->blocks += from.blocks;
  to->of_blocks = from.of_blocks;
  to->lane_instructions += from.lane_instructions;
  to->seconds += from.seconds;
  to->workers = from.workers;
  to->complete = to->complete && from.complete;
  to->lacks_blocks = to->lacks_blocks || from.lacks_blocks;
  to->findings.insert(to->findings.end(), from.findings.begin(), from.findings.end());
}

Result<BlocksCounted> count_sampled_block(const KernelStudy& study, DeviceMemory& memory,
                                          const SampledBlock& sampled, Checks checks, Turns turns,
                                          const std::stop_token& stop) {
  BlocksCounted counted{empty_counters(*study.program), {}};
  EmulationOptions options;
  options.blocks = {sampled.block};
  options.check = checks == Checks::kOn;
  options.turns = turns;
  auto emulation = count_blocks(study, memory, options, sampled.weight, &counted.counters, stop);
  if (!emulation) return std::move(emulation).error();
  counted.emulation = *std::move(emulation);
  counted.counters.blocks_counted = 1;
  counted.counters.blocks_represented = sampled.weight;
  return counted;
}

// The same while it is traced: the trace, its timeline and its findings go into `study`.
Result<BlocksCounted> trace_sampled_block(const SampledBlock& sampled, std::size_t most_events,
                                          const std::stop_token& stop, KernelStudy* study) {
  BlocksCounted counted{empty_counters(*study->program), {}};
  DeviceMemory memory = writable_copy(study->instance, *study->memory);
  CountingSink counting(*study->program);
  auto trace = trace_block(*study->program, study->launch, memory, sampled.block, most_events, stop,
                           &counting);
  if (!trace) return std::move(trace).error();
  add_scaled(counting.counters(), sampled.weight, &counted.counters);
  add_scaled(trace->counts, sampled.weight, &counted.counters);
  counted.counters.blocks_counted = 1;
  counted.counters.blocks_represented = sampled.weight;
  counted.emulation.complete = trace->complete;
  study->findings = trace->findings;
  put_warps_side_by_side(*study->program, &*trace);
  study->trace = std::make_shared<const BlockTrace>(*std::move(trace));
  study->timeline = std::make_shared<const Timeline>(timeline_of(*study->program, *study->trace));
  return counted;
}

// Adds up what count(0) ... count(size - 1) found, in that order.
template <typename Count>
Result<BlocksCounted> count_each(const KernelStudy& study, std::size_t size, unsigned workers,
                                 const Count& count) {
  std::vector<std::optional<Result<BlocksCounted>>> parts(size);
  for_each_parallel(size, workers, [&](std::size_t i) { parts[i] = count(i); });
  BlocksCounted sum{empty_counters(*study.program), {}};
  for (const std::optional<Result<BlocksCounted>>& part : parts) {
    const Result<BlocksCounted>& counted = *part;
    if (!counted) return counted.error();
    const LaunchCounters& counters = counted->counters;
    add_scaled(counters.by_instruction, 1, &sum.counters);
    add_scaled(counters.executed, 1, &sum.counters);
    sum.counters.blocks_counted += counters.blocks_counted;
    sum.counters.blocks_represented += counters.blocks_represented;
    add_run(counted->emulation, &sum.emulation);
  }
  sum.counters.whole_grid = sum.counters.blocks_counted == study.launch.grid.count();
  return sum;
}

// Of each kind and line the first.
std::vector<Finding> merged(const Program& program, const std::vector<Finding>& first,
                            const std::vector<Finding>& then) {
  const FindingPlaces places(program);
  const auto line_of = [&](const Finding& finding) {
    return finding.instruction < program.instructions().size() ? places.line_of(finding.instruction)
                                                               : 0;
  };
  std::vector<Finding> all;
  for (const std::vector<Finding>* part : {&first, &then}) {
    for (const Finding& finding : *part) {
      const auto same = [&](const Finding& other) {
        return other.kind == finding.kind && line_of(other) == line_of(finding);
      };
      if (std::ranges::none_of(all, same)) all.push_back(finding);
    }
  }
  return all;
}

}  // namespace

Result<BlocksCounted> trace_and_count(const StudyRequest& request, KernelStudy* study,
                                      const std::stop_token& stop) {
  const Dim3& grid = study->launch.grid;
  const std::uint64_t block = std::min(request.block, grid.count() - 1);
  std::vector<SampledBlock> sample = sample_blocks(grid, kCountAllUpTo, unflatten(block, grid));
  const auto chosen =
      std::ranges::find(sample, block, [](const SampledBlock& sampled) { return sampled.block; });
  std::iter_swap(sample.begin(), chosen);
  // Copied by whoever counts first, beside the trace, which has a copy of its own.
  std::optional<DeviceMemory> memory;
  std::once_flag is_copied;
  auto counted = count_each(*study, sample.size(), request.workers, [&](std::size_t i) {
    if (i == 0) return trace_sampled_block(sample[i], request.most_events, stop, study);
    std::call_once(is_copied, [&] { memory = writable_copy(study->instance, *study->memory); });
    return count_sampled_block(*study, *memory, sample[i], Checks::kOff, Turns::kUsual, stop);
  });
  if (!counted || !counted->emulation.lacks_blocks) return counted;
  auto whole = run_grid(*study, request.workers, stop, Checks::kOff);
  if (!whole) return std::move(whole).error();
  return BlocksCounted{std::move(whole->counters), std::move(whole->emulation)};
}

Result<GridRun> run_grid(const KernelStudy& study, unsigned workers, std::stop_token stop,
                         Checks checks, Turns turns) {
  GridRun run;
  run.counters = empty_counters(*study.program);
  run.memory = std::make_shared<DeviceMemory>(writable_copy(study.instance, *study.memory));
  EmulationOptions options;
  options.workers = workers;
  options.check = checks == Checks::kOn;
  options.turns = turns;
  auto emulation = must_find_reach(study)
                       ? count_reach(study, *run.memory, options, &run.counters, stop)
                       : count_blocks(study, *run.memory, options, 1, &run.counters, stop);
  if (!emulation) return std::move(emulation).error();
  run.emulation = *std::move(emulation);
  run.counters.blocks_counted = run.emulation.blocks;
  run.counters.blocks_represented = run.emulation.blocks;
  run.counters.whole_grid = run.emulation.blocks == run.emulation.of_blocks;
  run.verification = verify_result(study.instance, *study.memory, *run.memory, stop);
  return run;
}

Result<GridRun> run_sample(const KernelStudy& study, unsigned workers, std::stop_token stop,
                           Checks checks, Turns turns) {
  GridRun run;
  run.memory = std::make_shared<DeviceMemory>(writable_copy(study.instance, *study.memory));
  const std::vector<SampledBlock> sample = sample_blocks(study.launch.grid, kCountAllUpTo);
  auto counted = count_each(study, sample.size(), workers, [&](std::size_t i) {
    return count_sampled_block(study, *run.memory, sample[i], checks, turns, stop);
  });
  if (!counted) return std::move(counted).error();
  if (counted->emulation.lacks_blocks) {
    return run_grid(study, workers, std::move(stop), checks, turns);
  }
  run.counters = std::move(counted->counters);
  run.emulation = std::move(counted->emulation);
  return run;
}

Result<std::shared_ptr<const KernelStudy>> with_checks(std::shared_ptr<const KernelStudy> study,
                                                       CheckedBlocks blocks, std::stop_token stop) {
  std::vector<Finding> found;
  if (blocks == CheckedBlocks::kTraced) {
    DeviceMemory memory = writable_copy(study->instance, *study->memory);
    const SampledBlock traced{flatten(study->trace->block, study->launch.grid), 1};
    auto counted = count_sampled_block(*study, memory, traced, Checks::kOn, Turns::kUsual, stop);
    if (!counted) return std::move(counted).error();
    if (counted->emulation.lacks_blocks) return with_checks(study, CheckedBlocks::kSample, stop);
    found = std::move(counted->emulation.findings);
  } else {
    auto run = run_sample(*study, 1, stop, Checks::kOn);
    if (!run) return std::move(run).error();
    found = std::move(run->emulation.findings);
  }
  auto next = std::make_shared<KernelStudy>(*study);
  next->findings = merged(*study->program, study->findings, found);
  return std::shared_ptr<const KernelStudy>(std::move(next));
}

std::shared_ptr<const KernelStudy> with_grid(std::shared_ptr<const KernelStudy> study,
                                             const GridRun& grid) {
  auto next = std::make_shared<KernelStudy>(*study);
  next->counters = std::make_shared<const LaunchCounters>(grid.counters);
  next->findings = merged(*study->program, grid.emulation.findings, study->findings);
  next->complete = grid.emulation.complete;
  next->verification = grid.verification;
  return next;
}

}  // namespace tilescope
