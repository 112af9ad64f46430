#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "emulator/block/block_runner.h"

namespace tilescope {

// How many clusters of a launch a GPU can hold at once, at the most: the largest there are (132 to
// 148 multiprocessors), whatever registers the kernel takes (CUDA programming guide, compute
// capabilities).
[[nodiscard]] std::uint64_t most_resident_clusters(const Code& code, const Launch& launch);

// What the workers of a launch share of the clusters that are under way; without clusters, each
// block is one.
struct Residents {
  std::uint64_t most = 0;
  std::uint64_t clusters = 0;  // that are to be emulated
  bool whole_grid = true;
  std::atomic<std::uint64_t> next{0};  // of them, to begin
  std::atomic<std::uint64_t> waiting{0};
  std::atomic<std::uint64_t> held_bytes{0};  // by those that wait
  std::atomic<bool> lacks_blocks{false};     // one waits for a block that is not emulated
};

// The clusters that one worker has under way. One runs until it is done or waits for what another
// block does; then the next one begins, as on a GPU, which holds many at once. Where none is left
// to begin, those that wait look again, one after the other, in the order in which they came. So do
// a few that take turns in drawing numbers from a counter, before others begin.
class ResidentBlocks {
 public:
  ResidentBlocks(const BlockRunner::Setup& setup, Residents& shared,
                 ClusterRunner::IsWanted is_wanted, ClusterRunner::Prepare prepare);
  ~ResidentBlocks();
  ResidentBlocks(const ResidentBlocks&) = delete;
  ResidentBlocks& operator=(const ResidentBlocks&) = delete;

  // Is there room for one more cluster?
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] bool any_waits() const { return !waiting_.empty(); }
  // kWaits: it stays with those that wait.
  BlockOutcome begin(std::uint64_t cluster, const std::stop_token& stop);
  // The one that has waited longest looks again. kEndless: what they wait for never comes.
  BlockOutcome look_again(const std::stop_token& stop);

  // Of all blocks so far that are asked for.
  [[nodiscard]] std::uint64_t finished() const { return finished_; }
  [[nodiscard]] ExecutionCounts counts(std::size_t instructions) const;
  [[nodiscard]] bool complete() const;

 private:
  struct Waiting {
    ClusterRunner* runner = nullptr;
    std::uint64_t bytes = 0;
    bool gives_turn = false;
  };
  ClusterRunner& free_runner();
  void keep(ClusterRunner& runner);
  void let_go(ClusterRunner& runner);
  void give_up(ClusterRunner& runner) const;

  BlockRunner::Setup setup_;
  Residents& shared_;
  ClusterRunner::IsWanted is_wanted_;
  ClusterRunner::Prepare prepare_;
  std::vector<std::unique_ptr<ClusterRunner>> runners_;
  std::vector<ClusterRunner*> free_;
  std::deque<Waiting> waiting_;
  std::uint32_t giving_turns_ = 0;  // of them
  // Since any of them got on: of blocks that wait unchanged, and of others.
  std::uint64_t steps_in_vain_ = 0;
  std::uint64_t other_steps_ = 0;
  std::uint64_t finished_ = 0;
};

}  // namespace tilescope
