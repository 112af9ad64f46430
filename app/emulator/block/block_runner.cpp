#include "emulator/block/block_runner.h"

#include <algorithm>
#include <utility>

namespace tilescope {

BlockRunner::BlockRunner(const Setup& setup)
    : block_({setup.code, setup.launch, setup.memory, setup.findings, setup.sink, setup.prints,
              setup.device_work}),
      barriers_(block_),
      interpreter_(block_, barriers_),
      scheduler_(block_, barriers_, interpreter_,
                 {setup.step_budget, setup.yields_to_blocks, setup.turns}),
      checks_(block_, setup.check),
      yields_to_blocks_(setup.yields_to_blocks) {}

BlockOutcome BlockRunner::run(std::uint64_t linear_block, EventRecorder* events,
                              const std::stop_token& stop) {
  start(linear_block);
  return go_on(events, stop);
}

void BlockRunner::start(std::uint64_t linear_block) {
  block_.start(linear_block);
  scheduler_.start();
  block_.observers().tell(&BlockObserver::on_block_begin, block_.warps());
}

BlockOutcome BlockRunner::go_on(EventRecorder* events, const std::stop_token& stop) {
  const BlockOutcome outcome = scheduler_.run(events, stop);
  // Another runner may tell the sink of its accesses next.
  ExecutionContext& context = block_.context();
  for (Repeats& repeats : context.repeats) tell_repeats(repeats, context);
  if (yields_to_blocks_)
    std::fill(context.last_access.begin(), context.last_access.end(), LastAccess{});
  return outcome;
}

void BlockRunner::give_up(FindingKind kind, std::string why) {
  scheduler_.report_in_vain(kind, std::move(why));
  abandon();
}

void BlockRunner::abandon() {
  block_.observers().tell(&BlockObserver::on_block_end);
  complete_ = false;
}

void BlockRunner::join(Cluster& cluster, std::uint32_t rank,
                       const std::vector<BlockRunner*>& runners) {
  block_.join(cluster, rank);
  std::vector<BarrierUnit*> units;
  for (BlockRunner* runner : runners) units.push_back(&runner->barriers_);
  barriers_.join(cluster, std::move(units));
}

bool BlockRunner::waits_at_cluster_barrier() const {
  return waits_for() == WaitsFor::kBarrier && barriers_.waits_for_cluster() &&
         barriers_.has_come_to_cluster();
}

void BlockRunner::report_stuck(bool others) {
  if (!others && waits_for() == WaitsFor::kMbarrier)
    block_.observers().tell(&BlockObserver::on_endless_wait);
  if (!others && waits_for() == WaitsFor::kBarrier)
    block_.observers().tell(&BlockObserver::on_deadlock);
  abandon();
}

void BlockRunner::report_late_peer() {
  if (complete()) block_.observers().tell(&BlockObserver::on_left_cluster);
}

}  // namespace tilescope
