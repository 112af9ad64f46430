#pragma once
#include <cstdint>

#include "emulator/checks/checked_block.h"
#include "emulator/checks/race_check.h"

namespace tilescope {

// Finds loads by the read-only path (ld.global.nc: __ldg, const __restrict__) of what a thread of
// the block has written before: a barrier does not make the write visible there (PTX ISA, "ld": the
// memory must be read-only for the duration of the kernel). Without a barrier it is a race, too,
// and told as one.
class ReadOnlyCheck final : public BlockObserver {
 public:
  // `races` has not seen the access yet when this does.
  ReadOnlyCheck(CheckedBlock& block, RaceCheck& races) : block_(block), races_(races) {}

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override {
    return {.accesses = is_read_only(instruction)};
  }
  void inspect(ObservedAccess& access) override;

 private:
  [[nodiscard]] bool is_read_only(std::uint32_t instruction) const {
    return block_.instruction(instruction).access == AccessKind::kLoad &&
           block_.instruction(instruction).has(Modifier::kNc);
  }

  CheckedBlock& block_;
  RaceCheck& races_;
};

}  // namespace tilescope
