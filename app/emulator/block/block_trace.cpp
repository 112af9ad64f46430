#include "emulator/block/block_trace.h"

#include "emulator/block/event_recorder.h"
#include "emulator/block/launch_state.h"
#include "emulator/block/resident_blocks.h"
#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

// The launch's other clusters, or blocks where there are none, which run as far as the traced one
// waits for them. What they do wrong is not told here.
class Companions {
 public:
  Companions(const Program& program, const Launch& launch, const MemoryMap& memory,
             std::uint64_t traced)  // cluster
      : findings_(1),
        traced_(traced),
        blocks_(
            {{program.implementation().code(), launch, memory, findings_}, kBudget}, all_,
            [](std::uint64_t) { return true; },
            [&program](BlockRunner& runner) { bind_arguments(program, runner.context()); }) {
    all_.clusters = launch.grid.count() / program.cluster().count();
    all_.most = most_resident_clusters(program.implementation().code(), launch);
  }

  BlockOutcome accompany(ClusterRunner& runner, EventRecorder& recorder,
                         const std::stop_token& stop) {
    BlockOutcome outcome = BlockOutcome::kWaits;
    int looks = 0;  // that were all that is left to do
    while (outcome == BlockOutcome::kWaits) {
      const BlockOutcome other = step(stop);
      if (other == BlockOutcome::kCancelled) return other;
      looks = other == BlockOutcome::kEndless && runner.waits_unchanged() ? looks + 1 : 0;
      if (looks > kMostLooks) {
        runner.give_up(FindingKind::kEndless,
                       "a loop here waits for what no other block does: let a thread that does not "
                       "wait itself write what it reads");
        return other;
      }
      outcome = runner.go_on(&recorder, stop);
    }
    return outcome;
  }

 private:
  static constexpr std::uint64_t kBudget = EmulationOptions{}.step_budget;
  // A warp's slice ends with its look, and what it saw shows in its next one only; each of several
  // warps and blocks may have to look.
  static constexpr int kMostLooks = 64;

  // kEndless: there is nothing left to do.
  BlockOutcome step(const std::stop_token& stop) {
    if (blocks_.has_room() && all_.next == traced_) ++all_.next;
    if (blocks_.has_room() && all_.next < all_.clusters) return blocks_.begin(all_.next++, stop);
    return blocks_.any_waits() ? blocks_.look_again(stop) : BlockOutcome::kEndless;
  }

  FindingLog findings_;
  Residents all_;
  std::uint64_t traced_;
  ResidentBlocks blocks_;
};

}  // namespace

Result<BlockTrace> trace_block(const Program& program, const Launch& launch, DeviceMemory& memory,
                               std::uint64_t linear_block, std::size_t most_events,
                               std::stop_token stop, TraceSink* sink) {
  LaunchRegions regions(program.implementation().code(), memory);
  return trace_block_on(regions.map(), program, launch, linear_block, most_events, std::move(stop),
                        sink);
}

Result<BlockTrace> trace_block_on(const MemoryMap& memory, const Program& program,
                                  const Launch& launch, std::uint64_t linear_block,
                                  std::size_t most_events, std::stop_token stop, TraceSink* sink) {
  const Status launchable = check_launch(program, launch);
  if (!launchable) return launchable.error();
  if (linear_block >= launch.grid.count()) {
    return Error{ErrorCode::kUsage,
                 "the block to trace is outside the grid",
                 "Name a block of the grid",
                 {}};
  }
  BlockTrace trace;
  trace.block = unflatten(linear_block, launch.grid);
  EventRecorder recorder(program, trace, most_events, sink);
  const Code& code = program.implementation().code();
  const EmulationOptions defaults;
  FindingLog findings(defaults.most_findings);
  BlockRunner::Setup setup{{code, launch, memory, findings, &recorder}, defaults.step_budget};
  const std::uint64_t cluster = ClusterGrid{launch.grid, code.cluster}.cluster_of(linear_block);
  ClusterRunner runner(
      setup, [linear_block](std::uint64_t block) { return block == linear_block; },
      [&](BlockRunner& block) {
        bind_arguments(program, block.context());
        if (block.context().sink != nullptr) recorder.watch(block.context());
      });
  BlockOutcome outcome = runner.run(cluster, &recorder, stop);
  if (outcome == BlockOutcome::kWaits) {
    Companions companions(program, launch, memory, cluster);
    outcome = companions.accompany(runner, recorder, stop);
  }
  if (outcome == BlockOutcome::kCancelled) {
    return Error{ErrorCode::kCancelled, "the trace was stopped", {}, {}};
  }
  recorder.finish();
  trace.findings = findings.take();
  trace.counts = runner.counts(program.instructions().size());
  trace.complete = runner.complete();
  return trace;
}

}  // namespace tilescope
