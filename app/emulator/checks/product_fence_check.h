#pragma once
#include <cstdint>
#include <vector>

#include "emulator/checks/checked_block.h"

namespace tilescope {

// wgmma.fence must stand between what a thread writes to the registers of the sums, or of A, and
// the product that uses them, and before the first product of a warp; what products of one shape
// write there needs none (PTX ISA, "wgmma.fence"). Copies of registers, which compilers make, count
// as written where their source was; a number that is put into a register may come after the fence.
class ProductFenceCheck final : public BlockObserver {
 public:
  explicit ProductFenceCheck(CheckedBlock& block);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& step) override;

 private:
  static constexpr std::uint32_t kNotFollowed = 0xffffffff;
  struct Write {
    std::uint32_t after = 0;  // as many fences as the warp had executed, + 1; 0: needs none
    std::uint32_t instruction = 0;
  };
  struct WarpWrites {
    std::vector<Write> of;  // by number of the register among those that are followed
    std::uint32_t fences = 0;
  };

  void find_registers();
  // False: a fence is missing, which has been reported.
  bool check_product(const WarpStep& step, const WarpWrites& warp);

  CheckedBlock& block_;
  std::vector<std::uint32_t> followed_;  // by register: its number among these, or kNotFollowed
  std::uint32_t follows_ = 0;
  std::vector<WarpWrites> warps_;
};

}  // namespace tilescope
