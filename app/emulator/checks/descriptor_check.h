#pragma once
#include <cstdint>
#include <vector>

#include "emulator/checks/checked_block.h"

namespace tilescope {

// In a cluster the hardware's shared addresses have the rank of their block from bit 24 on, in
// addresses of the block's own memory too; PTX is emulated with addresses that have none. A matrix
// descriptor that is made of such an address without a mask takes the rank into fields that lie
// above its own, and is right in block 0 alone. Which bits of a register come from a shared address
// is read off the program, and the two descriptors are compared where a product executes: one that
// names the same bytes with the rank in it does no harm.
class DescriptorCheck final : public BlockObserver {
 public:
  explicit DescriptorCheck(CheckedBlock& block);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void before(const WarpStep& product) override;

  // Which bits of a register may be those of a rank, and how far they have been shifted up: all by
  // the same distance, or nothing is known.
  struct RankBits {
    std::uint64_t bits = 0;
    int shift = 0;
    bool is_known = true;
    friend bool operator==(const RankBits&, const RankBits&) = default;
  };

 private:
  void check_operand(const WarpStep& product, unsigned operand, std::uint64_t rank);

  CheckedBlock& block_;
  std::vector<RankBits> of_register_;  // empty: no product in clusters
};

}  // namespace tilescope
