#include "analysis/study/study_counts.h"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/memory/launch_memory.h"
#include "analysis/study/timeline.h"
#include "core/parallel.h"
#include "emulator/finding_place.h"
#include "kernel/launch/kernel_reference.h"

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

// What two blocks do to each other that have the same blockIdx.x * blockDim.x + threadIdx.x in 32
// bits; most sampled blocks have nothing to do with one another. [] where there are none such.
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

constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();

// Does a warp learn from it, or tell by it, how far another one has come?
bool signals(const StaticInstruction& instruction) {
  constexpr std::array kWords = {
      Modifier::kAcquire,         Modifier::kVolatile,     Modifier::kCas,     Modifier::kArrive,
      Modifier::kCompleteTxBytes, Modifier::kMbarrierInit, Modifier::kMbarrier};
  return instruction.is("mbarrier") ||
         std::ranges::any_of(kWords, [&](Modifier word) { return instruction.has(word); });
}

// Which barrier, for how many threads: "0, 256" of "bar.sync 0, 256;"
struct BarrierName {
  std::array<std::uint64_t, 4> values{};
  std::size_t count = 0;
  friend bool operator==(const BarrierName&, const BarrierName&) = default;
};
BarrierName name_of(const StaticInstruction& barrier) {
  BarrierName name;
  name.count = barrier.operands.size();
  for (std::size_t i = 0; i < std::min(name.count, name.values.size()); ++i) {
    const PtxOperand& operand = barrier.operands[i];
    name.values[i] = operand.kind == OperandKind::kRegister
                         ? ~std::uint64_t{barrier.first_register + operand.index}
                         : operand.bits;
  }
  return name;
}

// Does one warp learn from what it reads, or from a barrier for some of them, how far another one
// has come?
bool warps_signal(const Program& program, const BlockTrace& trace) {
  if (program.is_machine_code()) return false;
  std::vector<bool> executed(program.instructions().size(), false);
  std::vector<bool> seen;  // blocks
  trace.events.for_each_passage([&](const EventList::Passage& passage) {
    if (passage.block != EventList::kSingly) {
      if (seen.size() <= passage.block) seen.resize(passage.block + std::size_t{1}, false);
      if (seen[passage.block]) return;
      seen[passage.block] = true;
    }
    for (const BlockLayouts::Step& step : passage.steps) executed[step.instruction] = true;
  });
  std::optional<BarrierName> barrier;
  for (std::size_t i = 0; i < executed.size(); ++i) {
    if (!executed[i]) continue;
    const StaticInstruction& instruction = program.instructions()[i];
    if (signals(instruction)) return true;
    if (!instruction.is_barrier) continue;
    const BarrierName name = name_of(instruction);
    if (barrier && name != *barrier) return true;
    barrier = name;
  }
  return false;
}

// Events begin .. end, neighbours of one warp.
struct Piece {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// Events of one warp that lie between the same two barriers and in the same step.
struct Stretch {
  std::uint32_t barriers = 0;  // behind it
  std::uint32_t step = 0;      // entries of the main loop behind it
  std::uint32_t warp = 0;
  std::size_t first_piece = 0;  // of the warp's
  std::size_t pieces = 0;
};

// When the warps come to each barrier, and when they go on after it: indices of events.
struct Meeting {
  std::uint32_t last_arrival = 0;
  std::uint32_t first_after = kLast;
};

class SideBySide {
 public:
  SideBySide(const Program& program, const BlockTrace& trace)
      : program_(program), trace_(trace), header_(main_loop_header(program, trace)) {
    trace.events.for_each_passage([this](const EventList::Passage& passage) { add(passage); });
    for (Warp& warp : warps_) begin_stretch(warp);
  }

  // Do all warps meet at each barrier? Not where the lanes of one come to it in turns.
  [[nodiscard]] bool all_meet() const {
    return std::ranges::all_of(meetings_, [](const Meeting& meeting) {
      return meeting.last_arrival < meeting.first_after;
    });
  }

  // The events in their new order, by their index.
  [[nodiscard]] std::vector<std::uint32_t> order() {
    std::ranges::sort(stretches_, {}, [](const Stretch& stretch) {
      return std::tuple(stretch.barriers, stretch.step, stretch.warp);
    });
    std::vector<std::uint32_t> order;
    order.reserve(trace_.events.size());
    for (std::size_t begin = 0; begin < stretches_.size();) {
      std::size_t end = begin + 1;
      while (end < stretches_.size() && same_time(stretches_[begin], stretches_[end])) ++end;
      take_turns(std::span(stretches_).subspan(begin, end - begin), order);
      begin = end;
    }
    return order;
  }

 private:
  struct Warp {
    Stretch now;
    std::vector<Piece> pieces;
    bool leaves_barrier = false;  // with its next event
  };

  static bool same_time(const Stretch& a, const Stretch& b) {
    return a.barriers == b.barriers && a.step == b.step;
  }

  void add(const EventList::Passage& passage) {
    while (warps_.size() <= passage.warp) {
      const auto number = static_cast<std::uint32_t>(warps_.size());
      warps_.push_back({.now = {.warp = number}, .pieces = {}});
    }
    Warp& warp = warps_[passage.warp];
    std::uint32_t done = 0;  // steps
    for (const std::uint32_t at : cuts(passage)) {
      const std::uint32_t instruction = passage.steps[at].instruction;
      if (instruction == header_) {
        extend(warp, {passage.begin + done, passage.begin + at});
        done = at;
        begin_stretch(warp);
        ++warp.now.step;
      }
      if (program_.instructions()[instruction].is_barrier) {
        extend(warp, {passage.begin + done, passage.begin + at + 1});
        done = at + 1;
        come_to_barrier(warp, passage.begin + at);
      }
    }
    extend(warp, {passage.begin + done,
                  passage.begin + static_cast<std::uint32_t>(passage.steps.size())});
  }

  // The steps that enter the main loop or are a barrier.
  std::span<const std::uint32_t> cuts(const EventList::Passage& passage) {
    const auto find = [&](std::vector<std::uint32_t>& found) {
      found.clear();
      for (std::uint32_t i = 0; i < passage.steps.size(); ++i) {
        const std::uint32_t instruction = passage.steps[i].instruction;
        if (instruction == header_ || program_.instructions()[instruction].is_barrier) {
          found.push_back(i);
        }
      }
    };
    if (passage.block == EventList::kSingly) {
      find(single_cuts_);
      return single_cuts_;
    }
    if (block_cuts_.size() <= passage.block) block_cuts_.resize(passage.block + std::size_t{1});
    std::optional<std::vector<std::uint32_t>>& kept = block_cuts_[passage.block];
    if (!kept) find(kept.emplace());
    return *kept;
  }

  void extend(Warp& warp, Piece piece) {
    if (piece.begin == piece.end) return;
    if (warp.leaves_barrier) {
      Meeting& meeting = meetings_[warp.now.barriers - 1];
      meeting.first_after = std::min(meeting.first_after, piece.begin);
      warp.leaves_barrier = false;
    }
    if (warp.now.pieces > 0 && warp.pieces.back().end == piece.begin) {
      warp.pieces.back().end = piece.end;
      return;
    }
    warp.pieces.push_back(piece);
    ++warp.now.pieces;
  }

  void come_to_barrier(Warp& warp, std::uint32_t event) {
    if (meetings_.size() <= warp.now.barriers) {
      meetings_.resize(warp.now.barriers + std::size_t{1});
    }
    Meeting& meeting = meetings_[warp.now.barriers];
    meeting.last_arrival = std::max(meeting.last_arrival, event);
    begin_stretch(warp);
    ++warp.now.barriers;
    warp.leaves_barrier = true;
  }

  void begin_stretch(Warp& warp) {
    if (warp.now.pieces > 0) stretches_.push_back(warp.now);
    warp.now.first_piece = warp.pieces.size();
    warp.now.pieces = 0;
  }

  // An event of each stretch in turn, until all are at their end.
  void take_turns(std::span<const Stretch> stretches, std::vector<std::uint32_t>& order) const {
    struct Way {
      std::span<const Piece> pieces;
      std::uint32_t next = 0;  // event
    };
    std::vector<Way> ways;
    for (const Stretch& stretch : stretches) {
      const std::span<const Piece> pieces =
          std::span(warps_[stretch.warp].pieces).subspan(stretch.first_piece, stretch.pieces);
      ways.push_back({pieces, pieces.front().begin});
    }
    while (!ways.empty()) {
      bool any_ends = false;
      for (Way& way : ways) {
        order.push_back(way.next++);
        if (way.next < way.pieces.front().end) continue;
        way.pieces = way.pieces.subspan(1);
        any_ends |= way.pieces.empty();
        if (!way.pieces.empty()) way.next = way.pieces.front().begin;
      }
      if (any_ends) std::erase_if(ways, [](const Way& way) { return way.pieces.empty(); });
    }
  }

  const Program& program_;
  const BlockTrace& trace_;
  std::uint32_t header_;
  std::vector<Warp> warps_;
  std::vector<Stretch> stretches_;
  std::vector<Meeting> meetings_;                                      // by barrier
  std::vector<std::optional<std::vector<std::uint32_t>>> block_cuts_;  // cuts() of each block
  std::vector<std::uint32_t> single_cuts_;
};

}  // namespace

void put_warps_side_by_side(const Program& program, BlockTrace* trace) {
  if (warps_signal(program, *trace)) return;
  SideBySide warps(program, *trace);
  if (!warps.all_meet()) return;
  const std::vector<std::uint32_t> order = warps.order();
  trace->events.reorder(order);
  if (trace->operand_reads.empty() && trace->bulk_copies.empty()) return;
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (OperandRead& read : trace->operand_reads) {
    if (read.event < place.size()) read.event = place[read.event];
  }
  std::ranges::stable_sort(trace->operand_reads, {}, &OperandRead::event);
  for (BulkCopy& copy : trace->bulk_copies) {
    if (copy.event < place.size()) copy.event = place[copy.event];
  }
  std::ranges::stable_sort(trace->bulk_copies, {}, &BulkCopy::event);
}

}  // namespace tilescope
