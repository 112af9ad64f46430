#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/execution/cluster.h"
#include "emulator/execution/thread_block.h"

namespace tilescope {

// Synchronises the warps of a block: lanes arrive at barriers of their warp, their block or their
// cluster, wait there, and are released when all have come that are waited for. Invariant: between
// two calls no barrier is complete, for its lanes are released at once.
class BarrierUnit {
 public:
  explicit BarrierUnit(ThreadBlock& block);

  void start() { cluster_is_split_ = false; }  // of a block
  // The block is one of a cluster of several; `units`: of all its blocks, by rank.
  void join(const Cluster& cluster, std::vector<BarrierUnit*> units);

  // Lanes of a split come to the barrier that ends a basic block. Returns the split where it goes
  // on, kNoBlock where it waits.
  std::uint32_t arrive(const CodeBlock& block, Warp& warp, std::uint32_t split);
  // Lanes of a warp that were `before` have left the kernel: nobody waits for them any more.
  void exited(Warp& warp, std::uint32_t before);
  // Lanes stop here: they leave the kernel although it has not ended.
  void stop(Warp& warp, std::uint32_t split, std::uint32_t lanes);

  // Where no lane of the block can go on: lanes at bar.warp.sync may wait for lanes that wait for
  // them where their paths reconverge, and lanes at an exchange for one that never comes. Lets
  // those go on; false: there were none.
  bool release_at_warp_barriers();
  // The same for lanes that wait to leave with the others of their warp, while those wait for them.
  bool release_leaving_lanes();

  // Every thread has come to the cluster's barrier, or has left the kernel.
  [[nodiscard]] bool has_come_to_cluster() const {
    return block_.barriers().all_have_come(Barriers::kCluster);
  }
  [[nodiscard]] bool waits_for_cluster() const {
    return block_.barriers().arrived(Barriers::kCluster) != 0;
  }

 private:
  std::uint32_t arrive_in_warp(const CodeBlock& block, Warp& warp, std::uint32_t split);
  std::uint32_t arrive_in_cluster(const CodeBlock& block, Warp& warp, std::uint32_t split);
  std::uint32_t arrive_in_block(const CodeBlock& block, Warp& warp, std::uint32_t split);
  std::uint32_t arrive_in_warpgroup(const Warp& warp, std::uint32_t split);
  // Do all its warps wait that have not left the kernel?
  [[nodiscard]] bool warpgroup_has_come(std::uint32_t id) const;
  [[nodiscard]] bool converge(const CodeBlock& block, Warp& warp, std::uint32_t split) const;
  void wait_for_masked_lanes(const CodeBlock& block, Warp& warp, std::uint32_t split);
  void wait_for_exchange(Warp& warp, std::uint32_t split);
  [[nodiscard]] std::uint32_t members_of(const Warp& warp, const Split& split) const;
  void release_in_warp(Warp& warp);
  void release(std::uint32_t barrier);
  void release_split(Split& split, const Warp& warp, std::uint32_t barrier);
  void release_complete();
  void release_cluster();
  [[nodiscard]] bool splits_cluster_barrier();
  [[nodiscard]] bool everybody_waits(std::uint32_t barrier) const;

  ThreadBlock& block_;
  const Code& code_;
  Barriers& barriers_;
  Observers& observers_;
  const Cluster* cluster_ = nullptr;  // of several blocks
  std::vector<BarrierUnit*> units_;   // of its blocks
  std::optional<bool> splits_cluster_barrier_;
  bool cluster_is_split_ =
      false;  // some have arrived in this phase who may do more before the wait
};

}  // namespace tilescope
