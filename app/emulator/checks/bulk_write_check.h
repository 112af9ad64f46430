#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <unordered_set>
#include <vector>

#include "emulator/checks/bulk_groups.h"
#include "emulator/checks/checked_block.h"
#include "emulator/checks/race_check.h"

namespace tilescope {

// What bulk copies do to global memory. A bulk store or reduction writes it beside the threads
// until its bulk group has been waited for, without .read (PTX ISA, "cp.async.bulk.wait_group"):
// nobody may use the place before. As far as races are concerned, also between blocks, copies are
// accesses of the thread that issues them.
class BulkWriteCheck final : public BlockObserver {
 public:
  BulkWriteCheck(CheckedBlock& block, RaceCheck& races);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void after(const WarpStep& step) override;
  void inspect(ObservedAccess& access) override;
  void on_bulk_copy(const WarpPoint& where, unsigned lane, const BulkTransfers::Copy& copy,
                    std::span<const BulkPiece> pieces) override;
  void on_bulk_store(const WarpPoint& where, unsigned lane, std::span<const BulkPiece> pieces,
                     bool reduces) override;
  void on_block_end() override;

 private:
  struct Write {
    AccessStamp stamp;
    std::uint32_t group = 0;  // of its thread
    std::uint64_t lowest = 0;
    std::uint64_t end = 0;
    std::vector<BulkPiece> pieces;

    [[nodiscard]] bool touches(std::uint64_t address, std::uint64_t bytes) const;
  };
  struct EarlyUse {
    std::uint64_t address = 0;
    AccessStamp use;
    AccessStamp store;
    bool writes = false;
  };
  void wait(std::uint32_t thread, std::uint32_t newest);
  [[nodiscard]] bool is_near(std::uint64_t address, std::uint64_t bytes) const;
  void note_use(std::uint64_t address, std::uint64_t bytes, const AccessStamp& now, bool writes);

  CheckedBlock& block_;
  RaceCheck& races_;
  bool any_store_ = false;  // in the kernel
  std::vector<Write> under_way_;
  // Pages of 4 KiB that one of these may have touched; most uses of memory are elsewhere.
  std::unordered_set<std::uint64_t> pages_;
  BulkGroups groups_;
  std::map<std::uint32_t, EarlyUse> early_;  // by the instruction that uses it
};

}  // namespace tilescope
