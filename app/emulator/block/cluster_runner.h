#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "emulator/block/block_runner.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/finding_log.h"

namespace tilescope {

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
};

}  // namespace tilescope
