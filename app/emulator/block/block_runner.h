#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "emulator/block/barrier_unit.h"
#include "emulator/block/warp_interpreter.h"
#include "emulator/block/warp_scheduler.h"
#include "emulator/checks/block_checks.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/finding_log.h"
#include "emulator/execution/thread_block.h"

namespace tilescope {

// Executes blocks of one launch, one at a time, on the calling thread: a block of threads, what
// executes it, and those who check it.
class BlockRunner {
 public:
  struct Setup : ThreadBlock::Setup {
    std::uint64_t step_budget = 0;
    LaunchCheck* check = nullptr;   // nullptr: only what executes wrongly is found
    bool yields_to_blocks = false;  // run() may return kWaits
    SchedulingOrder order = SchedulingOrder::kForward;
    std::chrono::steady_clock::time_point ends_at = std::chrono::steady_clock::time_point::max();
  };
  using WaitsFor = WarpScheduler::WaitsFor;

  explicit BlockRunner(const Setup& setup);
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  BlockOutcome run(std::uint64_t linear_block, EventRecorder* events, const std::stop_token& stop);
  // The same in two steps: this, then go_on().
  void start(std::uint64_t linear_block);
  // After kWaits: looks once more whether what the block waits for has come.
  BlockOutcome go_on(EventRecorder* events, const std::stop_token& stop);
  // After kWaits: what it waits for will not come. Reports so, for this reason.
  void give_up(FindingKind kind, std::string why);

  // From the next start() on, the block is this one of a cluster of several, which `runners`
  // execute, by rank. go_on() then returns kWaits also where nothing but another block of the
  // cluster can help.
  void join(Cluster& cluster, std::uint32_t rank, const std::vector<BlockRunner*>& runners);
  // After kWaits: the least that would help.
  [[nodiscard]] WaitsFor waits_for() const { return scheduler_.waits_for(); }
  [[nodiscard]] bool waits_at_cluster_barrier() const;
  // After kWaits: no block of the cluster can go on. Reports what this one waits for, unless it is
  // the `others` that are to blame.
  void report_stuck(bool others);
  // After kWaits: another block has ended the launch.
  void abandon();
  // After the end: an access of another block that may have come too late.
  void report_late_peer();

  // Since run() or go_on() began: warp instructions, a checked access being many.
  [[nodiscard]] std::uint64_t steps_of_run() const { return scheduler_.steps(); }
  // ... which changed nothing.
  [[nodiscard]] bool ran_in_vain() const { return scheduler_.ran_in_vain(); }
  // ... nor anything of its own: it only waits.
  [[nodiscard]] bool waits_unchanged() const { return scheduler_.waits_unchanged(); }
  // Of memory that the runner holds.
  [[nodiscard]] std::uint64_t held_bytes() const { return block_.held_bytes(); }

  // Of all blocks so far; a program has that many instructions.
  [[nodiscard]] ExecutionCounts counts(std::size_t instructions) const {
    return interpreter_.counts(instructions);
  }
  [[nodiscard]] bool complete() const {
    return complete_ && scheduler_.complete() && interpreter_.complete();
  }
  [[nodiscard]] ThreadBlock& block() { return block_; }
  [[nodiscard]] ExecutionContext& context() { return block_.context(); }

 private:
  ThreadBlock block_;
  BarrierUnit barriers_;
  WarpInterpreter interpreter_;
  WarpScheduler scheduler_;
  BlockChecks checks_;
  bool yields_to_blocks_;
  bool complete_ = true;
};

// Executes clusters of one launch, one at a time, on the calling thread: block after block of the
// cluster, each until it waits for another one. Without clusters, a block.
class ClusterRunner {
 public:
  // Is the block among those that are asked for? Others of its cluster run along for its sake:
  // nobody sees what they do or counts it.
  using IsWanted = std::function<bool(std::uint64_t linear_block)>;
  using Prepare = std::function<void(BlockRunner&)>;  // before a runner's first block

  ClusterRunner(const BlockRunner::Setup& setup, IsWanted is_wanted, Prepare prepare);
  ~ClusterRunner();
  ClusterRunner(const ClusterRunner&) = delete;
  ClusterRunner& operator=(const ClusterRunner&) = delete;

  // `cluster`: of ClusterGrid. `events` receives what the wanted blocks do.
  BlockOutcome run(std::uint64_t cluster, EventRecorder* events, const std::stop_token& stop);
  // As BlockRunner's.
  BlockOutcome go_on(EventRecorder* events, const std::stop_token& stop);
  void give_up(FindingKind kind, const std::string& why);
  [[nodiscard]] std::uint64_t steps_of_run() const { return steps_of_run_; }
  [[nodiscard]] bool ran_in_vain() const { return in_vain_; }
  [[nodiscard]] bool waits_unchanged() const { return waits_unchanged_; }  // each of its blocks
  // After kWaits: one has drawn a number, and others shall draw theirs.
  [[nodiscard]] bool gives_turn() const { return gives_turn_; }
  [[nodiscard]] std::uint64_t held_bytes() const;

  [[nodiscard]] std::uint64_t wanted_blocks() const { return wanted_; }  // of this cluster
  // Of the wanted blocks of all clusters so far.
  [[nodiscard]] ExecutionCounts counts(std::size_t instructions) const;
  [[nodiscard]] bool complete() const;

 private:
  // A block's place in the cluster: it is executed by one of these.
  struct Seat {
    std::unique_ptr<BlockRunner> wanted;
    std::unique_ptr<BlockRunner> company;
  };
  void choose(std::uint64_t cluster);
  [[nodiscard]] BlockRunner& runner_of(std::unique_ptr<BlockRunner>& runner, bool is_wanted);
  struct Round {
    bool any_left = false;
    bool any_got_on = false;
    bool any_waits_for_memory = false;
    bool any_looks = false;  // at an mbarrier
    bool any_gives_turn = false;
  };
  BlockOutcome run_round(EventRecorder* events, const std::stop_token& stop, Round* round);
  void report_stuck();
  void end(BlockOutcome outcome);

  BlockRunner::Setup setup_;
  ClusterGrid grid_;
  IsWanted is_wanted_;
  Prepare prepare_;
  FindingLog company_findings_{64};
  std::vector<Seat> seats_;  // by rank
  Cluster cluster_;
  std::vector<BlockRunner*> runners_;  // that execute this cluster, by rank
  std::vector<bool> is_wanted_of_;     // by rank, of this cluster
  std::uint64_t wanted_ = 0;
  std::uint64_t steps_of_run_ = 0;
  std::uint32_t rounds_in_vain_ = 0;
  bool in_vain_ = false;
  bool waits_unchanged_ = false;
  bool gives_turn_ = false;
};

}  // namespace tilescope
