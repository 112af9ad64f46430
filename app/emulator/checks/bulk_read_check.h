#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/checks/bulk_groups.h"
#include "emulator/checks/checked_block.h"
#include "emulator/checks/race_check.h"

namespace tilescope {

// Bulk stores and reductions, through tensor maps or not, read shared memory beside the threads
// until their bulk group has been waited for (PTX ISA, "cp.async.bulk.wait_group"): nobody may
// write there before, nor leave the kernel. Once the issuing thread has waited, the read is one of
// its own as far as races are concerned.
class BulkReadCheck final : public BlockObserver {
 public:
  BulkReadCheck(CheckedBlock& block, RaceCheck& races) : block_(block), races_(races) {}

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void after(const WarpStep& step) override;
  void inspect(ObservedAccess& access) override;
  void on_bulk_read(const WarpPoint& where, unsigned lane, const BulkRead& read) override;
  void on_bulk_copy(const WarpPoint& where, unsigned lane, const BulkTransfers::Copy& copy,
                    std::span<const BulkPiece> pieces) override;
  void on_exit(const Warp& warp, std::uint32_t lanes) override;

 private:
  struct Read {
    AccessStamp stamp;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint32_t group = 0;  // of its thread

    [[nodiscard]] bool touches(std::uint64_t at, std::uint64_t size) const {
      return at < offset + bytes && offset < at + size;
    }
  };
  void wait(std::uint32_t thread, std::uint32_t newest);
  void remember(const Read& read);
  // The thread writes these bytes while a copy may still read them.
  void report_early(std::uint64_t offset, std::uint64_t bytes, const AccessStamp& now);

  CheckedBlock& block_;
  RaceCheck& races_;
  std::vector<Read> under_way_;
  BulkGroups groups_;
};

}  // namespace tilescope
