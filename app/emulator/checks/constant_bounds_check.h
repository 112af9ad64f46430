#pragma once
#include <cstdint>

#include "emulator/checks/checked_block.h"

namespace tilescope {

// Checks that an address computed from one constant array stays in it: past its end it would hit
// the next one unseen. What lies outside of all of them AccessFaultCheck finds.
class ConstantBoundsCheck final : public BlockObserver {
 public:
  explicit ConstantBoundsCheck(CheckedBlock& block) : block_(block) {}

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void before(const WarpStep& load) override;

 private:
  CheckedBlock& block_;
};

}  // namespace tilescope
