#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/checks/checked_block.h"

namespace tilescope {

// The sums of a warp group's product may be used only once their group of products has been waited
// for (PTX ISA, "wgmma.mma_async": accessing its registers before wgmma.wait_group is undefined).
// Further products may add to them, and copies of registers, which compilers make, hand them on.
class ProductResultCheck final : public BlockObserver {
 public:
  explicit ProductResultCheck(CheckedBlock& block);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& step) override;
  void after(const WarpStep& commit) override;
  void on_release(std::uint32_t barrier, bool whole) override;

 private:
  static constexpr std::uint32_t kNoSum = 0xffffffff;
  struct Sum {
    std::uint32_t group = 0;    // the number of its group of products, + 1; 0: none is under way
    std::uint32_t product = 0;  // the instruction
  };
  struct WarpSums {
    std::vector<Sum> of;          // by number of the register among those that carry sums
    std::uint32_t committed = 0;  // groups of products
    std::uint32_t over = 0;       // of these, the first so many have been waited for
  };

  // Which registers may carry sums: those of products, and what these are copied to.
  void find_carriers();
  // The latest sum among these registers that is not over; nullptr: none.
  [[nodiscard]] const Sum* open_sum(const WarpSums& warp,
                                    std::span<const std::uint32_t> registers) const;
  void report(const WarpStep& step, const Sum& sum);

  CheckedBlock& block_;
  std::vector<std::uint32_t> carrier_;  // by register: its number among these, or kNoSum
  std::uint32_t carriers_ = 0;
  std::vector<WarpSums> warps_;
};

}  // namespace tilescope
