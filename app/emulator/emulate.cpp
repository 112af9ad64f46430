#include "emulator/emulate.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <thread>

#include "emulator/checks/finding_lines.h"
#include "emulator/checks/launch_check.h"
#include "emulator/launch_state.h"
#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

// What the workers of one launch share.
struct Shared {
  const Program& program;
  const Launch& launch;
  const MemoryMap& memory;
  const EmulationOptions& options;
  FindingLog findings;
  LaunchCheck* check = nullptr;
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> finished{0};
  std::atomic<bool> cancelled{false};
  std::uint64_t blocks = 0;
  std::stop_token stop;

  std::mutex mutex;  // guards what follows
  std::vector<std::uint64_t> block_warps;
  std::vector<std::uint64_t> block_lanes;
  std::vector<std::uint64_t> guarded_lanes;
  std::vector<std::uint64_t> divergences;
  bool complete = true;
};

void add_to(std::vector<std::uint64_t>& sums, const std::vector<std::uint64_t>& values) {
  if (sums.empty()) sums.assign(values.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

void work(Shared& shared, TraceSink* sink) {
  const Code& code = shared.program.implementation().code();
  BlockRunner runner({code, shared.launch, shared.memory, shared.findings, sink,
                      shared.options.step_budget, shared.check});
  bind_arguments(shared.program, runner.context());
  for (;;) {
    const std::uint64_t index = shared.next.fetch_add(1);
    if (index >= shared.blocks || shared.cancelled) break;
    const std::uint64_t block =
        shared.options.blocks.empty() ? index : shared.options.blocks[index];
    const BlockOutcome outcome = runner.run(block, nullptr, shared.stop);
    if (outcome == BlockOutcome::kCancelled) {
      shared.cancelled = true;
      break;
    }
    shared.finished.fetch_add(1);
    // Its like would not end either, each after as long a time.
    if (outcome == BlockOutcome::kEndless) shared.next = shared.blocks;
  }
  const std::scoped_lock lock(shared.mutex);
  add_to(shared.block_warps, runner.block_warps());
  add_to(shared.block_lanes, runner.block_lanes());
  add_to(shared.guarded_lanes, runner.guarded_lanes());
  add_to(shared.divergences, runner.divergences());
  shared.complete = shared.complete && runner.complete();
}

// Basic blocks were counted; instructions follow from them.
ExecutionCounts spread_counts(const Program& program, const Shared& shared) {
  const Code& code = program.implementation().code();
  ExecutionCounts counts(program.instructions().size());
  counts.divergent = shared.divergences;
  counts.divergent.resize(program.instructions().size(), 0);
  const auto add = [&](const MicroOp& op, std::size_t block) {
    counts.warps[op.instruction] += shared.block_warps[block];
    counts.threads[op.instruction] += shared.block_lanes[block];
    counts.lanes[op.instruction] +=
        op.guard != 0 ? shared.guarded_lanes[op.instruction] : shared.block_lanes[block];
  };
  for (std::size_t b = 0; b < code.blocks.size() && !shared.block_warps.empty(); ++b) {
    const CodeBlock& block = code.blocks[b];
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      if (code.ops[i].hidden == 0) add(code.ops[i], b);
    }
    if (block.has_instruction) add(block.last, b);
  }
  return counts;
}

}  // namespace

Result<Emulation> emulate(const Program& program, const Launch& launch, DeviceMemory& memory,
                          const EmulationOptions& options, const SinkFactory& make_sink,
                          const std::function<void(TraceSink&)>& finished, std::stop_token stop) {
  const auto began = std::chrono::steady_clock::now();
  const Status launchable = check_launch(program, launch);
  if (!launchable) return launchable.error();
  for (const std::uint64_t block : options.blocks) {
    if (block < launch.grid.count()) continue;
    return Error{ErrorCode::kUsage,
                 "a block to emulate lies outside the grid",
                 "Name blocks of the grid",
                 {}};
  }
  LaunchMemory launch_memory(program.implementation().code(), memory);
  Shared shared{program,
                launch,
                launch_memory.map(),
                options,
                FindingLog(options.most_findings),
                nullptr,
                {},
                {},
                {},
                0,
                stop,
                {},
                {},
                {},
                {},
                {},
                true};
  shared.blocks = options.blocks.empty() ? launch.grid.count() : options.blocks.size();
  auto workers = static_cast<unsigned>(std::min<std::uint64_t>(
      std::max(1u, options.workers), std::max<std::uint64_t>(1, shared.blocks)));
  std::optional<LaunchCheck> check;
  if (options.check) {
    check.emplace(program, launch, launch_memory.map(), shared.blocks);
    shared.check = &*check;
    if (check->needs_one_worker()) workers = 1;
  }
  std::vector<std::unique_ptr<TraceSink>> sinks;
  for (unsigned w = 0; w < workers; ++w) sinks.push_back(make_sink ? make_sink() : nullptr);
  {
    std::vector<std::jthread> threads;
    for (unsigned w = 1; w < workers; ++w) {
      threads.emplace_back([&shared, sink = sinks[w].get()] { work(shared, sink); });
    }
    work(shared, sinks[0].get());
  }
  if (shared.cancelled || stop.stop_requested())
    return Error{ErrorCode::kCancelled, "the emulation was stopped", {}, {}};
  for (const std::unique_ptr<TraceSink>& sink : sinks) {
    if (sink != nullptr && finished) finished(*sink);
  }
  if (check) check->finish(shared.findings);
  Emulation result;
  result.counts = spread_counts(program, shared);
  result.findings = shared.findings.take();
  place_endless_loops(program, result.findings);
  keep_one_per_line(program, result.findings);
  result.complete = shared.complete;
  result.blocks = shared.finished;
  result.of_blocks = launch.grid.count();
  result.lane_instructions =
      std::accumulate(result.counts.lanes.begin(), result.counts.lanes.end(), std::uint64_t{0});
  result.workers = workers;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

}  // namespace tilescope
