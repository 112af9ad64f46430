#include "analysis/study/kernel_study.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <utility>

#include "analysis/memory/launch_memory.h"
#include "analysis/study/warp_order.h"
#include "core/parallel.h"
#include "emulator/finding_place.h"
#include "emulator/issued_program.h"
#include "kernel/compile/assemble.h"
#include "kernel/compile/device_code.h"
#include "kernel/launch/kernel_reference.h"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Error cancelled() {
  return {ErrorCode::kCancelled, "a newer request took this one's place", "", {}};
}

Result<std::shared_ptr<const Program>> decode_own(const KernelInstance& instance,
                                                  const CompiledKernel& compiled) {
  return instance.is_ptx() ? decode_ptx_file(compiled.ptx, compiled.kernel, instance.file_name)
                           : decode_ptx(compiled.ptx, compiled.kernel, instance.source);
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
  auto program = decode_own(request.instance, *compiled);
  if (!program) return std::move(program).error();
  study->program = *std::move(program);
  study->compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  if (stop.stop_requested()) return cancelled();
  auto launch = memory.get();
  if (!launch) return std::move(launch).error();
  study->launch = {request.instance.grid, request.instance.block,
                   request.instance.dynamic_shared_bytes, std::move(launch->arguments)};
  study->block = std::min(request.block, study->launch.grid.count() - 1);
  study->launch.grid_workspace = add_grid_workspace(*study->program, launch->memory);
  study->memory = std::make_shared<const DeviceMemory>(std::move(launch->memory));
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

Result<std::shared_ptr<const KernelStudy>> with_machine_code(
    std::shared_ptr<const KernelStudy> study, std::stop_token stop) {
  if (study->compiled->cubin.empty()) {
    return Error{ErrorCode::kMachine, study->compiled->why_no_cubin, "", {}};
  }
  const bool comes_first = machine_code_origin(study->compiled->ptx).has_value();
  const ListedLines lines =
      study->instance.is_ptx() && !comes_first ? ListedLines::kPtx : ListedLines::kSource;
  auto listing = disassemble(study->compiled->cubin, study->program->kernel(), lines, stop);
  if (!listing) return std::move(listing).error();
  auto issued = decode_machine_code(*listing, *study->program,
                                    comes_first ? std::string_view(study->compiled->ptx) : "");
  if (!issued) return std::move(issued).error();
  auto next = std::make_shared<KernelStudy>(*study);
  next->issued = *std::move(issued);
  return std::shared_ptr<const KernelStudy>(std::move(next));
}

namespace {

// Counts of some blocks, each multiplied by the number of blocks that it represents.
struct BlocksCounted {
  LaunchCounters counters;
  Emulation emulation;
};

LaunchCounters empty_counters(const Program& program) {
  const std::size_t size = program.instructions().size();
  LaunchCounters counters;
  counters.by_instruction.resize(size);
  counters.executed = ExecutionCounts(size);
  return counters;
}

void add_scaled(const std::vector<AccessCounters>& from, std::uint64_t weight, LaunchCounters* to) {
  for (std::size_t i = 0; i < from.size(); ++i)
    to->by_instruction[i] += from[i].scaled(static_cast<double>(weight));
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

// A buffer of the problem after a launch. Precondition: the instance has it.
ReferenceDifference::Matrix matrix_of(const KernelInstance& instance, const DeviceMemory& memory,
                                      const std::string& operand) {
  std::size_t buffer = 0;
  for (const Argument& argument : instance.arguments) {
    if (!argument.is_pointer) continue;
    if (argument.operand == operand) {
      return {&argument, *memory.buffers()[buffer].contents};
    }
    ++buffer;
  }
  return {};
}

// Emulates the reference kernel and compares what both wrote. The error of its compilation or
// emulation is the reference's, not the kernel's.
Result<Verification> verify_with_kernel(const KernelStudy& study, const DeviceMemory& after,
                                        unsigned workers, const std::stop_token& stop) {
  const KernelInstance& reference = *study.instance.reference_kernel;
  StudyRequest request;
  request.instance = reference;
  request.compute_capability = compute_capability_of(*study.compiled);
  auto prepared = prepare_study(request, stop);
  if (!prepared) return std::move(prepared).error();
  auto run = run_grid(**prepared, workers, stop, Checks::kOff);
  if (!run) return std::move(run).error();
  ReferenceDifference difference(rounding_tolerance(study.instance));
  for (const Argument& argument : study.instance.arguments) {
    if (!argument.is_pointer || !argument.written) continue;
    difference.add(matrix_of(study.instance, after, argument.operand),
                   matrix_of(reference, *run->memory, argument.operand));
  }
  return Verification{difference.max_error(), difference.tolerance()};
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
                                          const SampledBlock& sampled, Checks checks,
                                          SchedulingOrder order, const std::stop_token& stop) {
  BlocksCounted counted{empty_counters(*study.program), {}};
  EmulationOptions options;
  options.blocks = {sampled.block};
  options.check = checks == Checks::kOn;
  options.order = order;
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

// All findings of both, but of each kind and line only the first.
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
// Traces the block that `request` names, into `study` (trace, timeline, findings), and counts it
// and the others of the sample around it, or the whole grid if those wait for more blocks.
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
    return count_sampled_block(*study, *memory, sample[i], Checks::kOff, SchedulingOrder::kForward,
                               stop);
  });
  if (!counted || !counted->emulation.lacks_blocks) return counted;
  auto whole = run_grid(*study, request.workers, stop, Checks::kOff);
  if (!whole) return std::move(whole).error();
  return BlocksCounted{std::move(whole->counters), std::move(whole->emulation)};
}

}  // namespace

Result<std::shared_ptr<const KernelStudy>> study_block(const StudyRequest& request,
                                                       std::stop_token stop) {
  auto prepared = prepare_study(request, stop);
  if (!prepared) return prepared;
  auto study = std::make_shared<KernelStudy>(**prepared);
  const auto start = Clock::now();
  auto counted = trace_and_count(request, study.get(), stop);
  if (!counted) return std::move(counted).error();
  study->counters = std::make_shared<const LaunchCounters>(std::move(counted->counters));
  study->complete = counted->emulation.complete;
  study->emulate_seconds = seconds_since(start);
  return std::shared_ptr<const KernelStudy>(std::move(study));
}

Result<GridRun> run_grid(const KernelStudy& study, unsigned workers, std::stop_token stop,
                         Checks checks, SchedulingOrder order, const RunLimits& limits) {
  GridRun run;
  run.counters = empty_counters(*study.program);
  run.memory = std::make_shared<DeviceMemory>(writable_copy(study.instance, *study.memory));
  EmulationOptions options;
  options.workers = workers;
  options.check = checks == Checks::kOn;
  options.order = order;
  options.step_budget = limits.step_budget;
  options.limit_seconds = limits.seconds;
  auto emulation = must_find_reach(study)
                       ? count_reach(study, *run.memory, options, &run.counters, stop)
                       : count_blocks(study, *run.memory, options, 1, &run.counters, stop);
  if (!emulation) return std::move(emulation).error();
  run.emulation = *std::move(emulation);
  run.counters.blocks_counted = run.emulation.blocks;
  run.counters.blocks_represented = run.emulation.blocks;
  run.counters.whole_grid = run.emulation.blocks == run.emulation.of_blocks;
  if (study.instance.reference_kernel == nullptr) {
    run.verification = verify_result(study.instance, *study.memory, *run.memory, stop);
  } else if (run.emulation.complete) {
    auto verification = verify_with_kernel(study, *run.memory, workers, stop);
    if (!verification) return std::move(verification).error();
    run.verification = *verification;
  }
  return run;
}

namespace {

// Checks two blocks whose blockIdx.x * blockDim.x + threadIdx.x is the same in 32 bits: a kernel
// that computes an index in 32 bits lets them write the same elements, and a sample of other blocks
// does not show it. Returns no findings where the grid is too small for that.
Result<std::vector<Finding>> check_blocks_alike(const KernelStudy& study,
                                                const std::stop_token& stop) {
  const std::uint64_t next = (std::uint64_t{1} << 32) / study.launch.block.x;
  if (next >= study.launch.grid.x) return std::vector<Finding>{};
  DeviceMemory memory = writable_copy(study.instance, *study.memory);
  EmulationOptions options;
  options.check = true;
  options.blocks = {0, next};
  LaunchCounters ignored = empty_counters(*study.program);
  auto run = count_blocks(study, memory, options, 1, &ignored, stop);
  if (!run) return std::move(run).error();
  return std::move(run->findings);
}

}  // namespace

Result<GridRun> run_sample(const KernelStudy& study, unsigned workers, std::stop_token stop,
                           Checks checks, SchedulingOrder order) {
  GridRun run;
  run.memory = std::make_shared<DeviceMemory>(writable_copy(study.instance, *study.memory));
  const std::vector<SampledBlock> sample = sample_blocks(study.launch.grid, kCountAllUpTo);
  auto counted = count_each(study, sample.size(), workers, [&](std::size_t i) {
    return count_sampled_block(study, *run.memory, sample[i], checks, order, stop);
  });
  if (!counted) return std::move(counted).error();
  if (counted->emulation.lacks_blocks) {
    return run_grid(study, workers, std::move(stop), checks, order);
  }
  run.counters = std::move(counted->counters);
  run.emulation = std::move(counted->emulation);
  if (checks == Checks::kOn) {
    const auto found = check_blocks_alike(study, stop);
    if (!found) return found.error();
    run.emulation.findings = merged(*study.program, run.emulation.findings, *found);
  }
  return run;
}

Result<std::shared_ptr<const KernelStudy>> with_checks(std::shared_ptr<const KernelStudy> study,
                                                       CheckedBlocks blocks, std::stop_token stop) {
  std::vector<Finding> found;
  if (blocks == CheckedBlocks::kTraced) {
    DeviceMemory memory = writable_copy(study->instance, *study->memory);
    const SampledBlock traced{flatten(study->trace->block, study->launch.grid), 1};
    auto counted =
        count_sampled_block(*study, memory, traced, Checks::kOn, SchedulingOrder::kForward, stop);
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

namespace {

struct AxisSample {
  std::uint32_t index;
  std::uint64_t weight;
};

std::vector<AxisSample> sample_axis(std::uint32_t extent, std::uint32_t preferred) {
  if (extent == 1) return {{0, 1}};
  const std::uint32_t others = preferred < extent - 1 ? preferred : (extent - 1) / 2;
  return {{others, extent - 1}, {extent - 1, 1}};
}

}  // namespace

std::vector<SampledBlock> sample_blocks(const Dim3& grid, std::uint64_t all_up_to,
                                        std::optional<Dim3> preferred) {
  std::vector<SampledBlock> sample;
  if (grid.count() <= all_up_to) {
    for (std::uint64_t block = 0; block < grid.count(); ++block) sample.push_back({block, 1});
    return sample;
  }
  const Dim3 first = preferred.value_or(grid);
  for (const AxisSample& z : sample_axis(grid.z, first.z)) {
    for (const AxisSample& y : sample_axis(grid.y, first.y)) {
      for (const AxisSample& x : sample_axis(grid.x, first.x)) {
        sample.push_back(
            {flatten({x.index, y.index, z.index}, grid), x.weight * y.weight * z.weight});
      }
    }
  }
  return sample;
}

Result<double> moved_bytes(const StudyRequest& request, std::stop_token stop) {
  auto study = prepare_study(request, stop);
  if (!study) return study.error();
  auto run = run_sample(**study, request.workers, stop);
  if (!run) return run.error();
  double sectors = 0;
  for (const AccessCounters& counters : run->counters.by_instruction) {
    sectors += static_cast<double>(counters.sectors);
  }
  return sectors * kSectorBytes;
}

namespace {

// The same launch of the machine code, which stands where the PTX's program did: what counts a
// study counts this one.
KernelStudy issued_study(const KernelStudy& study) {
  KernelStudy issued = study;
  issued.program = study.issued;
  return issued;
}

// An atomic tells each lane what others did before; what follows may depend on who came first.
bool uses_what_atomics_return(const Program& program) {
  return std::ranges::any_of(program.instructions(), [](const StaticInstruction& instruction) {
    return instruction.access == AccessKind::kAtomic &&
           instruction.variant != AccessVariant::kReduction;
  });
}

// Runs it in the usual order of warps and, where the counts may depend on the order, in another one
// too: each on one worker then, for several would make an order that is new at every run.
template <typename Run>
Result<GridRun> run_both_orders(const Program& program, unsigned workers, const Run& run) {
  if (!uses_what_atomics_return(program)) return run(SchedulingOrder::kForward, workers);
  Result<GridRun> first = run(SchedulingOrder::kForward, 1);
  if (!first || !first->emulation.complete) return first;
  Result<GridRun> other = run(SchedulingOrder::kBackward, 1);
  if (!other) return other;
  if (other->emulation.complete) {
    first->counters.other_turns =
        std::make_shared<const LaunchCounters>(std::move(other->counters));
  }
  return first;
}

}  // namespace

Result<GridRun> run_issued_grid(const KernelStudy& study, unsigned workers, std::stop_token stop) {
  return run_both_orders(*study.issued, workers, [&](SchedulingOrder order, unsigned of_it) {
    return run_grid(issued_study(study), of_it, stop, Checks::kOff, order);
  });
}

Result<GridRun> run_issued_sample(const KernelStudy& study, unsigned workers,
                                  std::stop_token stop) {
  return run_both_orders(*study.issued, workers, [&](SchedulingOrder order, unsigned of_it) {
    return run_sample(issued_study(study), of_it, stop, Checks::kOff, order);
  });
}

Result<std::shared_ptr<const KernelStudy>> with_issued_counts(
    std::shared_ptr<const KernelStudy> study, Counted blocks, unsigned workers,
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
  auto run = blocks == Counted::kGrid ? run_issued_grid(**coded, workers, stop)
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

}  // namespace tilescope
