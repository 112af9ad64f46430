#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "emulator/checks/checked_block.h"
#include "emulator/checks/race_check.h"
#include "emulator/execution/cluster.h"

namespace tilescope {

// Who of a cluster accessed which piece of one block's shared memory since the cluster's last
// barrier.
class ClusterRaces {
 public:
  struct Touch {
    std::uint32_t phase = kNever;  // how often the cluster had come to its barrier
    std::uint32_t until = kNever;  // between an arrival there and its wait the next phase, too
    std::uint32_t instruction = 0;
    std::uint32_t tick = 0;    // of its warp
    std::uint16_t thread = 0;  // in its block
    std::uint8_t rank = 0;
    bool strong = false;  // no race with others that are
  };
  void start_block(std::uint64_t shared_bytes, std::uint32_t cell_bytes, std::size_t warps,
                   std::size_t instructions);

  // Notes an access to the piece at `offset` and returns the one of another block that it races
  // with, as long as nothing else orders the two; nullptr: none. `writes`: the access does.
  struct Race {
    Touch past;
    bool past_writes = false;
  };
  [[nodiscard]] const Race* touch(std::uint64_t offset, const Touch& now, bool writes);

  // This block makes an access, anywhere. Had its warp been at an instruction before, since the
  // cluster's last barrier?
  void visit(const Touch& now);
  [[nodiscard]] bool came_from(std::uint32_t instruction, const Touch& access) const;

  // Another block has stored here, or arrived at an mbarrier, since the cluster's last barrier: it
  // may have said that it is ready.
  bool was_told = false;
  // What this block knows of another one's accesses, by rank and thread: up to which tick they are
  // over. It comes from the cluster's barrier and from arrivals at mbarriers that it has waited
  // for.
  std::vector<std::vector<std::uint32_t>> known;
  // It has read a flag since that barrier, and may know more by that.
  bool may_know_more = false;
  std::uint64_t proxy_fences = 0;      // fence.proxy.async of shared memory that it has executed
  const AccessOrder* order = nullptr;  // of this block's own threads

 private:
  static constexpr std::uint32_t kNever = 0xffffffff;
  struct Cell {
    Touch write;
    Touch plain_write;          // the last that is not strong; `write` may be a later atomic
    std::array<Touch, 2> read;  // the owner's or a lower rank's last, and a higher one's
  };
  [[nodiscard]] static bool conflicts(const Touch& past, const Touch& now) {
    return past.phase != kNever && past.until >= now.phase && past.rank != now.rank &&
           !(past.strong && now.strong);
  }
  struct Visit {
    std::uint32_t phase = kNever;
    std::uint32_t tick = 0;  // the first in that phase
  };
  std::vector<Cell> cells_;
  std::vector<Visit> visits_;  // [warp][instruction]
  std::size_t instructions_ = 0;
  unsigned cell_shift_ = 2;  // a cell has 1 << cell_shift_ bytes
  Race found_;
};

// Finds races between the blocks of a cluster on their shared memory. What orders them is the
// cluster's barrier; a block that has tested an mbarrier or read a flag since may know of others by
// these and is not compared until the next barrier of the cluster.
class ClusterRaceCheck final : public BlockObserver {
 public:
  ClusterRaceCheck(CheckedBlock& block, RaceCheck& own_races);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& step) override;
  void inspect(ObservedAccess& access) override;
  void on_bulk_copy(const WarpPoint& where, unsigned lane, const BulkTransfers::Copy& copy,
                    std::span<const BulkPiece> pieces) override;
  void on_mbarrier(const WarpPoint& where, unsigned lane, std::uint64_t offset, bool waits,
                   bool parity) override;
  void on_peer_store(const Finding::Other& by, std::uint64_t offset, unsigned bytes) override;
  void on_cluster_arrive(const Warp& warp, std::uint32_t lanes) override;
  void on_cluster_pass(const Warp& warp, std::uint32_t lanes) override;
  void on_release(std::uint32_t barrier, bool whole) override;
  void on_cluster_sync() override;

 private:
  // An mbarrier of the block's own is initialised, or another block uses it.
  struct Mention {
    std::uint32_t phase = 0;  // how often the cluster had come to its barrier
    Finding::Other by;
  };
  void note_start(const WarpStep& step);
  void note_use(std::uint64_t barrier, const Finding::Other& by);
  void report_use(std::uint64_t barrier, const Finding::Other& use, const Finding::Other& start);
  // Another block, with these races of its own, copies into this one's shared memory.
  void check_refill(const BulkTransfers::Copy& copy, const ClusterRaces& copier);
  // The member that is this block; nullptr: it is not checked.
  [[nodiscard]] const Cluster::Member* checked_member(const Dim3& block) const;
  void learn(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) const;
  void check(const CheckedAccess& access);
  [[nodiscard]] bool stores_the_same(const CheckedAccess& access, unsigned lane, unsigned first,
                                     const std::byte* content) const;
  // One of two blocks that are in each other's way.
  struct Side {
    std::uint32_t instruction = 0;
    Dim3 block;
    Dim3 thread;
    bool writes = false;
  };
  // The executing access, `now`, to `offset` in the owner's shared memory makes a race.
  void report(const ClusterRaces::Touch& now, bool writes, const ClusterRaces::Race& race,
              const ExecutionContext& owner, std::uint64_t offset);
  // Whether `read` comes after `write` in the program, and `write` is not of a loop's next
  // iteration.
  [[nodiscard]] bool reads_behind(const ClusterRaces::Touch& read,
                                  const ClusterRaces::Touch& write) const;

  CheckedBlock& block_;
  RaceCheck& own_races_;
  ClusterRaces races_;       // on this block's shared memory
  std::uint32_t phase_ = 0;  // how often the cluster has come to its barrier
  bool has_heard_ = false;   // since then, maybe, of other blocks
  // By warp: lanes that have arrived at the cluster's barrier and not waited yet, and its phase.
  struct Arrived {
    std::uint32_t lanes = 0;
    std::uint32_t phase = 0;
  };
  std::vector<Arrived> arrived_;
  // By place of the mbarrier; of the uses by other blocks the first.
  std::map<std::uint64_t, Mention> starts_;
  std::map<std::uint64_t, Mention> uses_;
  // By place of the mbarrier and rank: what those who have arrived there knew of their block.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::uint32_t>> arrivals_;
};

}  // namespace tilescope
