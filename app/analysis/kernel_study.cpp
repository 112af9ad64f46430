#include "analysis/kernel_study.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "analysis/block_sample.h"
#include "analysis/launch_memory.h"
#include "core/parallel.h"
#include "emulator/issued_program.h"
#include "kernel/disassemble.h"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Error cancelled() {
  return {ErrorCode::kCancelled, "a newer request took this one's place", "", {}};
}

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

// More blocks than this are sampled.
constexpr std::uint64_t kCountAllUpTo = 8;

void add_run(const Emulation& from, Emulation* to) {
  to->blocks += from.blocks;
  to->of_blocks = from.of_blocks;
  to->lane_instructions += from.lane_instructions;
  to->seconds += from.seconds;
  to->workers = from.workers;
  to->complete = to->complete && from.complete;
  to->findings.insert(to->findings.end(), from.findings.begin(), from.findings.end());
}

// What some blocks did, each counted as many times as blocks it stands for.
struct BlocksCounted {
  LaunchCounters counters;
  Emulation emulation;
};

Result<BlocksCounted> count_sampled_block(const KernelStudy& study, DeviceMemory& memory,
                                          const SampledBlock& sampled, Checks checks,
                                          const std::stop_token& stop) {
  BlocksCounted counted{empty_counters(*study.program), {}};
  EmulationOptions options;
  options.blocks = {sampled.block};
  options.check = checks == Checks::kOn;
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

}  // namespace

Result<std::shared_ptr<const KernelStudy>> prepare_study(const StudyRequest& request,
                                                         std::stop_token stop) {
  auto study = std::make_shared<KernelStudy>();
  study->instance = request.instance;
  // The launch's memory is made while the kernel compiles.
  auto memory = std::async(std::launch::async, [&request] {
    return make_launch_memory(request.instance, request.inputs);
  });
  auto compiled = compile({request.instance, request.compute_capability, false}, stop);
  if (!compiled) return std::move(compiled).error();
  study->compile_seconds = compiled->seconds;
  auto program = decode_ptx(compiled->ptx, compiled->kernel, request.instance.source);
  if (!program) return std::move(program).error();
  study->program = *std::move(program);
  study->compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  if (stop.stop_requested()) return cancelled();
  auto launch = memory.get();
  if (!launch) return std::move(launch).error();
  study->memory = std::make_shared<const DeviceMemory>(std::move(launch->memory));
  study->launch = {request.instance.grid, request.instance.block,
                   request.instance.dynamic_shared_bytes, std::move(launch->arguments)};
  return std::shared_ptr<const KernelStudy>(std::move(study));
}

Result<std::shared_ptr<const KernelStudy>> study_block(const StudyRequest& request,
                                                       std::stop_token stop) {
  auto prepared = prepare_study(request, stop);
  if (!prepared) return prepared;
  auto study = std::make_shared<KernelStudy>(**prepared);
  const auto start = Clock::now();
  const Dim3& grid = study->launch.grid;
  const std::uint64_t block = std::min(request.block, grid.count() - 1);
  std::vector<SampledBlock> sample = sample_blocks(grid, kCountAllUpTo, unflatten(block, grid));
  const auto chosen =
      std::ranges::find(sample, block, [](const SampledBlock& sampled) { return sampled.block; });
  std::iter_swap(sample.begin(), chosen);
  DeviceMemory memory = writable_copy(study->instance, *study->memory);
  auto counted = count_each(*study, sample.size(), request.workers, [&](std::size_t i) {
    return i == 0 ? trace_sampled_block(sample[i], request.most_events, stop, study.get())
                  : count_sampled_block(*study, memory, sample[i], Checks::kOff, stop);
  });
  if (!counted) return std::move(counted).error();
  study->counters = std::make_shared<const LaunchCounters>(std::move(counted->counters));
  study->complete = counted->emulation.complete;
  study->emulate_seconds = seconds_since(start);
  return std::shared_ptr<const KernelStudy>(std::move(study));
}

Result<std::shared_ptr<const KernelStudy>> with_resources(std::shared_ptr<const KernelStudy> study,
                                                          const DeviceModel& device,
                                                          std::stop_token stop) {
  auto compiled = compile({study->instance, device.compute_capability, true}, stop);
  if (!compiled) return std::move(compiled).error();
  auto next = std::make_shared<KernelStudy>(*study);
  next->device = std::make_shared<const DeviceModel>(device);
  if (compiled->has_resources) {
    OccupancyRequest request;
    request.threads_per_block = static_cast<int>(study->instance.block.count());
    request.registers_per_thread = compiled->resources.registers;
    request.static_shared_bytes = compiled->resources.static_shared_bytes;
    request.dynamic_shared_bytes = static_cast<int>(study->instance.dynamic_shared_bytes);
    if (const auto found = occupancy(device, request)) next->occupancy = *found;
  }
  next->compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  return std::shared_ptr<const KernelStudy>(std::move(next));
}

Result<GridRun> run_grid(const KernelStudy& study, unsigned workers, std::stop_token stop,
                         Checks checks) {
  GridRun run;
  run.counters = empty_counters(*study.program);
  run.memory = std::make_shared<DeviceMemory>(writable_copy(study.instance, *study.memory));
  EmulationOptions options;
  options.workers = workers;
  options.check = checks == Checks::kOn;
  auto emulation = count_blocks(study, *run.memory, options, 1, &run.counters, stop);
  if (!emulation) return std::move(emulation).error();
  run.emulation = *std::move(emulation);
  run.counters.blocks_counted = run.emulation.blocks;
  run.counters.blocks_represented = run.emulation.blocks;
  run.counters.whole_grid = run.emulation.blocks == run.emulation.of_blocks;
  run.verification = verify_result(study.instance, *study.memory, *run.memory, stop);
  return run;
}

Result<GridRun> run_sample(const KernelStudy& study, unsigned workers, std::stop_token stop,
                           Checks checks) {
  GridRun run;
  run.memory = std::make_shared<DeviceMemory>(writable_copy(study.instance, *study.memory));
  const std::vector<SampledBlock> sample = sample_blocks(study.launch.grid, kCountAllUpTo);
  auto counted = count_each(study, sample.size(), workers, [&](std::size_t i) {
    return count_sampled_block(study, *run.memory, sample[i], checks, stop);
  });
  if (!counted) return std::move(counted).error();
  run.counters = std::move(counted->counters);
  run.emulation = std::move(counted->emulation);
  return run;
}

std::uint32_t own_line(const Program& program, std::uint32_t instruction) {
  if (instruction >= program.instructions().size()) return 0;
  const StaticInstruction& found = program.instructions()[instruction];
  return found.source.file == found.outermost.file ? found.source.line : found.outermost.line;
}

namespace {

// Of each kind and line the first.
std::vector<Finding> merged(const Program& program, const std::vector<Finding>& first,
                            const std::vector<Finding>& then) {
  std::vector<Finding> all;
  for (const std::vector<Finding>* part : {&first, &then}) {
    for (const Finding& finding : *part) {
      const auto same = [&](const Finding& other) {
        return other.kind == finding.kind &&
               own_line(program, other.instruction) == own_line(program, finding.instruction);
      };
      if (std::ranges::none_of(all, same)) all.push_back(finding);
    }
  }
  return all;
}

}  // namespace

Result<std::shared_ptr<const KernelStudy>> with_checks(std::shared_ptr<const KernelStudy> study,
                                                       CheckedBlocks blocks, std::stop_token stop) {
  std::vector<Finding> found;
  if (blocks == CheckedBlocks::kTraced) {
    DeviceMemory memory = writable_copy(study->instance, *study->memory);
    const SampledBlock traced{flatten(study->trace->block, study->launch.grid), 1};
    auto counted = count_sampled_block(*study, memory, traced, Checks::kOn, stop);
    if (!counted) return std::move(counted).error();
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

Result<std::shared_ptr<const KernelStudy>> with_machine_code(
    std::shared_ptr<const KernelStudy> study, std::stop_token stop) {
  if (study->compiled->cubin.empty()) {
    return Error{ErrorCode::kMachine, "there is no machine code of PTX that was handed in", "", {}};
  }
  auto listing = disassemble(study->compiled->cubin, stop);
  if (!listing) return std::move(listing).error();
  auto issued = decode_machine_code(*listing, *study->program);
  if (!issued) return std::move(issued).error();
  auto next = std::make_shared<KernelStudy>(*study);
  next->issued = *std::move(issued);
  return std::shared_ptr<const KernelStudy>(std::move(next));
}

namespace {

// The same launch of the machine code.
KernelStudy issued_study(const KernelStudy& study) {
  KernelStudy issued = study;
  issued.program = study.issued;
  return issued;
}

}  // namespace

Result<GridRun> run_issued_grid(const KernelStudy& study, unsigned workers, std::stop_token stop) {
  return run_grid(issued_study(study), workers, stop);
}

Result<GridRun> run_issued_sample(const KernelStudy& study, unsigned workers,
                                  std::stop_token stop) {
  return run_sample(issued_study(study), workers, stop);
}

Result<std::shared_ptr<const KernelStudy>> with_issued_counts(
    std::shared_ptr<const KernelStudy> study, bool whole_grid, unsigned workers,
    std::stop_token stop) {
  const auto without = [&](std::string why) {
    auto next = std::make_shared<KernelStudy>(*study);
    next->why_not_issued = std::move(why);
    return std::shared_ptr<const KernelStudy>(std::move(next));
  };
  auto coded = study->issued ? Result(study) : with_machine_code(study, stop);
  if (!coded) {
    if (coded.error().code == ErrorCode::kCancelled) return std::move(coded).error();
    return without(to_string(coded.error()));
  }
  auto run = whole_grid ? run_issued_grid(**coded, workers, stop)
                        : run_issued_sample(**coded, workers, stop);
  if (!run) {
    if (run.error().code == ErrorCode::kCancelled) return std::move(run).error();
    return without(to_string(run.error()));
  }
  if (!run->emulation.complete) return without("an instruction of the machine is not known");
  auto next = std::make_shared<KernelStudy>(**coded);
  next->issued_counters = std::make_shared<const LaunchCounters>(std::move(run->counters));
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
