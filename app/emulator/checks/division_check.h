#pragma once
#include <cstdint>

#include "emulator/checks/checked_block.h"

namespace tilescope {

// Finds integer divisions by zero: a GPU goes on with an undefined value (PTX ISA, "div":
// "division by zero yields an unspecified, machine-specific value").
class DivisionCheck final : public BlockObserver {
 public:
  explicit DivisionCheck(CheckedBlock& block) : block_(block) {}

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void before(const WarpStep& division) override;

 private:
  CheckedBlock& block_;
};

}  // namespace tilescope
