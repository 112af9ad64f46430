#include "emulator/emulate.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <unordered_set>

#include "core/parallel.h"
#include "emulator/block/launch_state.h"
#include "emulator/block/resident_blocks.h"
#include "emulator/block/warp_interpreter.h"
#include "emulator/checks/finding_causes.h"
#include "emulator/checks/finding_lines.h"
#include "emulator/checks/launch_check.h"
#include "emulator/execution/device_work.h"
#include "emulator/execution/print_log.h"
#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

constexpr unsigned kMostWorkers = 512;  // more only take memory from each other

constexpr auto kNever = std::chrono::steady_clock::time_point::max();
constexpr double kLongestWait = 1e8;  // seconds

// What the workers of one launch share.
struct Shared {
  const Program& program;
  const Launch& launch;
  const MemoryMap& memory;
  const EmulationOptions& options;
  FindingLog findings;
  PrintLog prints{};
  DeviceWorkLog device_work{};
  LaunchCheck* check = nullptr;
  Residents residents{};
  std::vector<std::uint64_t> clusters{};  // to be emulated; empty: all
  std::vector<std::uint64_t> wanted{};    // EmulationOptions::blocks in order; empty: all
  std::atomic<bool> cancelled{false};
  std::atomic<bool> endless{false};
  std::stop_token stop;
  std::chrono::steady_clock::time_point unwatched_from = kNever;
  std::chrono::steady_clock::time_point ends_at = kNever;

  std::mutex mutex;  // guards what follows
  ExecutionCounts counts;
  bool complete = true;
  std::uint64_t finished = 0;  // blocks
  std::uint64_t watched = 0;   // of them
  ExecutionCounts watched_counts;
};

// Executes blocks until none is left, or until it is time to do so unwatched.
enum class Watched : bool { kNo, kYes };
void work(Shared& shared, TraceSink* sink, Watched watched) {
  const Code& code = shared.program.implementation().code();
  Residents& all = shared.residents;
  const bool is_watched = watched == Watched::kYes;
  const auto end = is_watched ? std::min(shared.unwatched_from, shared.ends_at) : shared.ends_at;
  ResidentBlocks blocks(
      {{code, shared.launch, shared.memory, shared.findings, is_watched ? sink : nullptr,
        &shared.prints, shared.options.takes_device_work ? &shared.device_work : nullptr},
       shared.options.step_budget,
       is_watched ? shared.check : nullptr,
       false,
       shared.options.order,
       shared.ends_at},
      all,
      [&](std::uint64_t block) {
        return shared.wanted.empty() || std::ranges::binary_search(shared.wanted, block);
      },
      [&](BlockRunner& runner) { bind_arguments(shared.program, runner.context()); });
  while (!shared.cancelled && !shared.endless) {
    if (end != kNever) {
      const auto now = std::chrono::steady_clock::now();
      if (now >= shared.ends_at || (!blocks.any_waits() && now >= end)) break;
    }
    const std::uint64_t index = blocks.has_room() ? all.next.fetch_add(1) : all.clusters;
    if (index >= all.clusters && !blocks.any_waits()) break;
    const std::uint64_t turn =
        shared.options.order == SchedulingOrder::kForward || index >= all.clusters
            ? index
            : all.clusters - 1 - index;
    const std::uint64_t cluster =
        index >= all.clusters || shared.clusters.empty() ? turn : shared.clusters[turn];
    const BlockOutcome outcome =
        index < all.clusters ? blocks.begin(cluster, shared.stop) : blocks.look_again(shared.stop);
    if (outcome == BlockOutcome::kCancelled) shared.cancelled = true;
    // Its like would not end either, each after as long a time.
    if (outcome == BlockOutcome::kEndless) shared.endless = true;
    if (outcome == BlockOutcome::kLate) break;
  }
  const std::scoped_lock lock(shared.mutex);
  const ExecutionCounts counts = blocks.counts(shared.program.instructions().size());
  shared.counts += counts;
  shared.complete = shared.complete && blocks.complete();
  shared.finished += blocks.finished();
  if (!is_watched) return;
  shared.watched_counts += counts;
  shared.watched += blocks.finished();
}

// Which clusters hold the blocks that are asked for, in the order in which they are.
void choose_clusters(const Code& code, const Launch& launch, Shared& shared) {
  Residents& residents = shared.residents;
  const std::vector<std::uint64_t>& blocks = shared.options.blocks;
  const ClusterGrid grid{launch.grid, code.cluster};
  residents.most = most_resident_clusters(code, launch);
  residents.whole_grid = blocks.empty() || blocks.size() >= launch.grid.count();
  residents.clusters = grid.clusters();
  if (blocks.empty()) return;
  if (grid.size() == 1) {
    shared.clusters = blocks;
  } else {
    shared.wanted = blocks;
    std::ranges::sort(shared.wanted);
    std::unordered_set<std::uint64_t> seen;
    for (const std::uint64_t block : blocks) {
      const std::uint64_t cluster = grid.cluster_of(block);
      if (seen.insert(cluster).second) shared.clusters.push_back(cluster);
    }
  }
  residents.clusters = shared.clusters.size();
}

}  // namespace

ExecutionCounts& ExecutionCounts::operator+=(const ExecutionCounts& other) {
  for (std::vector<std::uint64_t> ExecutionCounts::*member :
       {&ExecutionCounts::warps, &ExecutionCounts::lanes, &ExecutionCounts::threads,
        &ExecutionCounts::divergent}) {
    std::vector<std::uint64_t>& sums = this->*member;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += (other.*member)[i];
  }
  return *this;
}

Result<Emulation> emulate(const Program& program, const Launch& launch, DeviceMemory& memory,
                          const EmulationOptions& options, const SinkFactory& make_sink,
                          const std::function<void(TraceSink&)>& finished, std::stop_token stop) {
  LaunchRegions regions(program.implementation().code(), memory);
  return emulate_on(regions.map(), program, launch, options, make_sink, finished, std::move(stop));
}

Result<Emulation> emulate_on(const MemoryMap& memory, const Program& program, const Launch& launch,
                             const EmulationOptions& options, const SinkFactory& make_sink,
                             const std::function<void(TraceSink&)>& finished,
                             std::stop_token stop) {
  const auto began = std::chrono::steady_clock::now();
  const Status launchable = check_launch(program, launch);
  if (!launchable) return launchable.error();
  for (const std::uint64_t block : options.blocks) {
    if (block < launch.grid.count()) continue;
    return Error{
        ErrorCode::kUsage, "a block to emulate is outside the grid", "Name blocks of the grid", {}};
  }
  Shared shared{.program = program,
                .launch = launch,
                .memory = memory,
                .options = options,
                .findings = FindingLog(options.most_findings),
                .stop = stop,
                .mutex = {},
                .counts = ExecutionCounts(program.instructions().size()),
                .watched_counts = ExecutionCounts(program.instructions().size())};
  const auto after = [&](double seconds) {
    using Clock = std::chrono::steady_clock;
    if (!(seconds < kLongestWait)) return kNever;
    return began +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  shared.unwatched_from = after(options.watch_seconds);
  shared.ends_at = after(options.limit_seconds);
  const Code& code = program.implementation().code();
  choose_clusters(code, launch, shared);
  const Residents& residents = shared.residents;
  auto workers = static_cast<unsigned>(
      std::min<std::uint64_t>(std::clamp(options.workers, 1u, kMostWorkers),
                              std::max<std::uint64_t>(1, residents.clusters)));
  // What depends on the order of blocks that wait for each other is the same every time.
  const bool in_order = std::any_of(code.ops.begin(), code.ops.end(), [](const MicroOp& op) {
    return op.access == AccessKind::kLoad && asks_others(op);
  });
  if (in_order) workers = 1;
  std::optional<LaunchCheck> check;
  if (options.check) {
    const std::uint64_t blocks =
        options.blocks.empty() ? launch.grid.count() : options.blocks.size();
    check.emplace(program, launch, memory, blocks);
    shared.check = &*check;
    if (check->needs_one_worker()) workers = 1;
  }
  std::vector<std::unique_ptr<TraceSink>> sinks;
  for (unsigned w = 0; w < workers; ++w) sinks.push_back(make_sink ? make_sink() : nullptr);
  for_each_parallel(workers, workers, [&](std::size_t w) {
    work(shared, sinks[w].get(), Watched::kYes);
    work(shared, nullptr, Watched::kNo);
  });
  if (shared.cancelled || stop.stop_requested())
    return Error{ErrorCode::kCancelled, "the emulation was stopped", {}, {}};
  for (const std::unique_ptr<TraceSink>& sink : sinks) {
    if (sink != nullptr && finished) finished(*sink);
  }
  if (check) check->finish(shared.findings);
  Emulation result;
  result.counts = std::move(shared.counts);
  result.findings = shared.findings.take();
  place_endless_loops(program, result.counts, result.findings);
  leave_out_consequences(program, result.findings);
  keep_one_per_line(program, result.findings);
  result.complete = shared.complete;
  result.lacks_blocks = residents.lacks_blocks;
  result.blocks = shared.finished;
  result.of_blocks = launch.grid.count();
  result.watched = shared.watched;
  result.watched_counts = std::move(shared.watched_counts);
  result.printed = shared.prints.printed();
  result.complaints = shared.prints.complaints();
  result.device_work = shared.device_work.take();
  result.lane_instructions =
      std::accumulate(result.counts.lanes.begin(), result.counts.lanes.end(), std::uint64_t{0});
  result.workers = workers;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

}  // namespace tilescope
