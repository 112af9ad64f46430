#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "emulator/checks/checked_block.h"

namespace tilescope {

[[nodiscard]] bool multiplies(const StaticInstruction& instruction);  // wgmma.mma_async
[[nodiscard]] bool copies_register(const StaticInstruction& instruction);
[[nodiscard]] bool commits_products(const StaticInstruction& instruction);

// Products of warp groups read their operands in shared memory beside the threads, until their
// group of products has been waited for (PTX ISA, "wgmma.wait_group"): before that nobody may store
// or copy over an operand, nor be told that he may. What the emulator's order of execution hides,
// for it multiplies at once, the order of accesses shows.
class ProductReadCheck final : public BlockObserver {
 public:
  explicit ProductReadCheck(CheckedBlock& block);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void after(const WarpStep& commit) override;
  void inspect(ObservedAccess& access) override;
  void on_bulk_copy(const WarpPoint& where, unsigned lane, const BulkTransfers::Copy& copy,
                    std::span<const BulkPiece> pieces) override;
  void on_release(std::uint32_t barrier, bool whole) override;
  void on_block_end() override;
  [[nodiscard]] std::uint64_t held_bytes() const override {
    return reads_.size() * sizeof(PieceReads);
  }

 private:
  static constexpr std::size_t kMostGroups = 8;  // warp groups of a block
  struct Read {
    AccessStamp stamp;          // tick 0: none
    std::uint32_t product = 0;  // the number of its group of products
  };
  using PieceReads = std::array<Read, kMostGroups>;  // the last of each warp group

  // Is the read over before what the thread does now?
  [[nodiscard]] bool is_over(const Read& read, std::uint32_t thread) const;
  struct EarlyWrite {
    std::uint64_t offset = 0;  // in shared memory
    AccessStamp write;
    AccessStamp read;
  };
  // The thread writes these bytes of shared memory now.
  void check_write(std::uint64_t offset, std::uint64_t bytes, const AccessStamp& now);

  CheckedBlock& block_;
  bool any_product_ = false;              // in the kernel
  std::vector<PieceReads> reads_;         // by piece of 16 bytes
  std::vector<std::uint32_t> committed_;  // by warp: groups of products so far
  // By warp and group of products: when the warp had waited for it.
  std::vector<std::vector<std::uint32_t>> over_;
  std::map<std::uint32_t, EarlyWrite> early_;  // by the writing instruction
};

}  // namespace tilescope
