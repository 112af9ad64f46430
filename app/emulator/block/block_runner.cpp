#include "emulator/block/block_runner.h"

#include <algorithm>
#include <utility>

namespace tilescope {

BlockRunner::BlockRunner(const Setup& setup)
    : block_(setup),
      barriers_(block_),
      interpreter_(block_, barriers_, setup.check != nullptr),
      scheduler_(block_, barriers_, interpreter_,
                 {setup.step_budget, setup.yields_to_blocks, setup.order, setup.ends_at}),
      checks_(block_, setup.check),
      yields_to_blocks_(setup.yields_to_blocks) {}

BlockOutcome BlockRunner::run(std::uint64_t linear_block, EventRecorder* events,
                              const std::stop_token& stop) {
  start(linear_block);
  return go_on(events, stop);
}

void BlockRunner::start(std::uint64_t linear_block) {
  block_.start(linear_block);
  barriers_.start();
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

namespace {

// In which every block tested its mbarriers in vain. Lanes that have diverged go on after 64.
constexpr std::uint32_t kMostRoundsInVain = 1 << 12;

}  // namespace

ClusterRunner::ClusterRunner(const BlockRunner::Setup& setup, IsWanted is_wanted, Prepare prepare)
    : setup_(setup),
      grid_{setup.launch.grid, setup.code.cluster},
      is_wanted_(std::move(is_wanted)),
      prepare_(std::move(prepare)),
      seats_(grid_.size()),
      runners_(grid_.size()),
      is_wanted_of_(grid_.size(), true) {
  setup_.yields_to_blocks = true;
  cluster_.members.resize(grid_.size());
  cluster_.is_machine_code = setup.code.converges_at_barriers;
}

ClusterRunner::~ClusterRunner() = default;

BlockRunner& ClusterRunner::runner_of(std::unique_ptr<BlockRunner>& runner, bool is_wanted) {
  if (runner != nullptr) return *runner;
  BlockRunner::Setup setup = setup_;
  BlockRunner::Setup company{{setup.code, setup.launch, setup.memory, company_findings_},
                             setup.step_budget};
  company.yields_to_blocks = true;
  company.order = setup.order;
  company.ends_at = setup.ends_at;
  runner = std::make_unique<BlockRunner>(is_wanted ? setup : company);
  prepare_(*runner);
  return *runner;
}

// Who executes which block.
void ClusterRunner::choose(std::uint64_t cluster) {
  wanted_ = 0;
  for (std::uint32_t rank = 0; rank < seats_.size(); ++rank) {
    const bool wanted = seats_.size() == 1 || is_wanted_(grid_.block_of(cluster, rank));
    Seat& seat = seats_[rank];
    BlockRunner& runner = runner_of(wanted ? seat.wanted : seat.company, wanted);
    is_wanted_of_[rank] = wanted;
    wanted_ += wanted ? 1 : 0;
    cluster_.members[rank] = {&runner.block(), &runner.context(), false};
    runners_[rank] = &runner;
  }
}

BlockOutcome ClusterRunner::run(std::uint64_t cluster, EventRecorder* events,
                                const std::stop_token& stop) {
  choose(cluster);
  rounds_in_vain_ = 0;
  if (seats_.size() == 1) {
    BlockRunner& runner = *runners_.front();
    const BlockOutcome outcome = runner.run(cluster, events, stop);
    steps_of_run_ = runner.steps_of_run();
    in_vain_ = runner.ran_in_vain();
    waits_unchanged_ = runner.waits_unchanged();
    gives_turn_ = runner.waits_for() == BlockRunner::WaitsFor::kTurn;
    return outcome;
  }
  for (std::uint32_t rank = 0; rank < seats_.size(); ++rank) {
    BlockRunner& runner = *runners_[rank];
    runner.join(cluster_, rank, runners_);
    runner.start(grid_.block_of(cluster, rank));
  }
  return go_on(events, stop);
}

BlockOutcome ClusterRunner::go_on(EventRecorder* events, const std::stop_token& stop) {
  if (seats_.size() == 1) {
    BlockRunner& runner = *runners_.front();
    const BlockOutcome outcome = runner.go_on(events, stop);
    steps_of_run_ = runner.steps_of_run();
    in_vain_ = runner.ran_in_vain();
    waits_unchanged_ = runner.waits_unchanged();
    gives_turn_ = runner.waits_for() == BlockRunner::WaitsFor::kTurn;
    return outcome;
  }
  gives_turn_ = false;
  steps_of_run_ = 0;
  in_vain_ = true;
  waits_unchanged_ = true;
  for (;;) {
    Round round;
    BlockOutcome outcome = run_round(events, stop, &round);
    if (outcome == BlockOutcome::kWaits && !round.any_left) outcome = BlockOutcome::kDone;
    if (outcome != BlockOutcome::kWaits) {
      end(outcome);
      return outcome;
    }
    if (round.any_got_on) {
      in_vain_ = false;
      rounds_in_vain_ = 0;
      gives_turn_ = round.any_gives_turn;
      if (gives_turn_) return BlockOutcome::kWaits;
      continue;
    }
    if (round.any_waits_for_memory) return BlockOutcome::kWaits;
    if (round.any_looks && ++rounds_in_vain_ < kMostRoundsInVain) continue;
    report_stuck();
    return BlockOutcome::kDone;
  }
}

// Each block that is left goes on until it waits. kWaits unless one of them ends the launch.
BlockOutcome ClusterRunner::run_round(EventRecorder* events, const std::stop_token& stop,
                                      Round* round) {
  const auto size = static_cast<std::uint32_t>(seats_.size());
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t rank = setup_.order == SchedulingOrder::kForward ? i : size - 1 - i;
    Cluster::Member& member = cluster_.members[rank];
    if (member.ended) continue;
    BlockRunner& runner = *runners_[rank];
    const BlockOutcome outcome = runner.go_on(is_wanted_of_[rank] ? events : nullptr, stop);
    steps_of_run_ += runner.steps_of_run();
    if (outcome == BlockOutcome::kWaits) {
      round->any_left = true;
      round->any_got_on |= !runner.ran_in_vain();
      waits_unchanged_ &= runner.waits_unchanged();
      round->any_waits_for_memory |= runner.waits_for() == BlockRunner::WaitsFor::kMemory;
      round->any_gives_turn |= runner.waits_for() == BlockRunner::WaitsFor::kTurn;
      round->any_looks |= runner.waits_for() == BlockRunner::WaitsFor::kMbarrier;
      continue;
    }
    member.ended = true;
    round->any_got_on = true;
    if (outcome != BlockOutcome::kDone) return outcome;
    runner.report_late_peer();
  }
  return BlockOutcome::kWaits;
}

// A block that only waits for the others at the cluster's barrier is not the one to blame.
void ClusterRunner::report_stuck() {
  const auto waits_for_others = [&](std::size_t rank) {
    return cluster_.members[rank].ended || runners_[rank]->waits_at_cluster_barrier();
  };
  bool all = true;
  for (std::size_t rank = 0; rank < runners_.size(); ++rank) all = all && waits_for_others(rank);
  for (std::size_t rank = 0; rank < runners_.size(); ++rank) {
    if (!cluster_.members[rank].ended) runners_[rank]->report_stuck(!all && waits_for_others(rank));
  }
  end(BlockOutcome::kDone);
}

void ClusterRunner::end(BlockOutcome outcome) {
  for (std::size_t rank = 0; rank < runners_.size(); ++rank) {
    Cluster::Member& member = cluster_.members[rank];
    if (!member.ended && outcome == BlockOutcome::kEndless) runners_[rank]->abandon();
    member.ended = true;
  }
  // What stopped the company stopped the others too.
  const bool good = std::ranges::all_of(
      seats_, [](const Seat& seat) { return seat.company == nullptr || seat.company->complete(); });
  if (good) return;
  for (Finding& finding : company_findings_.take()) {
    const std::uint64_t block = flatten(finding.block, grid_.grid);
    setup_.findings.add(block, std::move(finding));
  }
}

void ClusterRunner::give_up(FindingKind kind, const std::string& why) {
  for (std::size_t rank = 0; rank < runners_.size(); ++rank) {
    if (!cluster_.members[rank].ended) runners_[rank]->give_up(kind, why);
  }
  for (Cluster::Member& member : cluster_.members) member.ended = true;
}

std::uint64_t ClusterRunner::held_bytes() const {
  std::uint64_t bytes = 0;
  for (const BlockRunner* runner : runners_) bytes += runner->held_bytes();
  return bytes;
}

ExecutionCounts ClusterRunner::counts(std::size_t instructions) const {
  ExecutionCounts sum(instructions);
  for (const Seat& seat : seats_) {
    if (seat.wanted != nullptr) sum += seat.wanted->counts(instructions);
  }
  return sum;
}

bool ClusterRunner::complete() const {
  return std::ranges::all_of(seats_, [](const Seat& seat) {
    return (seat.wanted == nullptr || seat.wanted->complete()) &&
           (seat.company == nullptr || seat.company->complete());
  });
}

}  // namespace tilescope
