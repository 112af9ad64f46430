#pragma once
#include <cstdint>
#include <vector>

#include "emulator/checks/checked_block.h"

namespace tilescope {

// Checks instructions that a warp's lanes execute together: shfl.sync and its like name the lanes
// that take part, each of which must be named and must come; ldmatrix, mma and their like need
// every lane of the warp.
//
// Lanes that a mask names and that are elsewhere may still come to the same instruction: they are
// waited for until the block ends.
class WarpSyncCheck final : public BlockObserver {
 public:
  explicit WarpSyncCheck(CheckedBlock& block) : block_(block) {}

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& step) override;
  void on_block_end() override;

 private:
  // Lanes that have executed an instruction, and those that they named and that have not.
  struct Missing {
    std::uint32_t warp = 0;
    std::uint32_t instruction = 0;
    std::uint32_t came = 0;     // lanes
    std::uint32_t missing = 0;  // lanes
  };
  static constexpr std::size_t kMost = 256;

  void check_members(const WarpStep& step);
  void come(const WarpStep& step, std::uint32_t lanes, std::uint32_t missing);
  void report_unnamed(const WarpStep& step, std::uint32_t lanes, std::uint32_t members);
  void report_part_of_warp(const WarpStep& step);

  CheckedBlock& block_;
  std::vector<Missing> open_;
};

}  // namespace tilescope
