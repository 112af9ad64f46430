#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "emulator/checks/checked_block.h"

namespace tilescope {

// Who of a cluster accessed which piece of one block's shared memory since the cluster's last
// barrier.
class ClusterRaces {
 public:
  struct Touch {
    std::uint32_t phase = kNever;  // how often the cluster had come to its barrier
    std::uint32_t instruction = 0;
    std::uint16_t thread = 0;  // in its block
    std::uint8_t rank = 0;
    bool strong = false;  // no race with others that are
  };
  void start_block(std::uint64_t shared_bytes, std::uint32_t cell_bytes);

  // Notes an access to the piece at `offset` and returns the one of another block that it races
  // with, as long as nothing else orders the two; nullptr: none. `writes`: the access does.
  struct Race {
    Touch past;
    bool past_writes = false;
  };
  [[nodiscard]] const Race* touch(std::uint64_t offset, const Touch& now, bool writes);

 private:
  static constexpr std::uint32_t kNever = 0xffffffff;
  struct Cell {
    Touch write;
    std::array<Touch, 2> read;  // the owner's or a lower rank's last, and a higher one's
  };
  [[nodiscard]] static bool conflicts(const Touch& past, const Touch& now) {
    return past.phase == now.phase && past.rank != now.rank && !(past.strong && now.strong);
  }
  std::vector<Cell> cells_;
  unsigned cell_shift_ = 2;  // a cell has 1 << cell_shift_ bytes
  Race found_;
};

// Finds races between the blocks of a cluster on their shared memory. What orders them is the
// cluster's barrier; a block that has tested an mbarrier or read a flag since may know of others by
// these and is not compared until the next barrier of the cluster.
class ClusterRaceCheck final : public BlockObserver {
 public:
  explicit ClusterRaceCheck(CheckedBlock& block);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& step) override;
  void inspect(ObservedAccess& access) override;
  void on_cluster_sync() override;

 private:
  void check(const CheckedAccess& access);
  [[nodiscard]] bool stores_the_same(const CheckedAccess& access, unsigned lane, unsigned first,
                                     const std::byte* content) const;
  void report(const CheckedAccess& access, unsigned lane, const ClusterRaces::Race& race,
              const ExecutionContext& owner, std::uint64_t offset);

  CheckedBlock& block_;
  ClusterRaces races_;       // on this block's shared memory
  std::uint32_t phase_ = 0;  // how often the cluster has come to its barrier
  bool has_heard_ = false;   // since then, maybe, of other blocks
};

}  // namespace tilescope
