#pragma once
#include <cstdint>

#include "emulator/checks/checked_block.h"

namespace tilescope {

// Checks that an access to the kernel's own heap lies in one allocation of malloc or new that has
// not been freed. Others are reported and not executed.
class HeapCheck final : public BlockObserver {
 public:
  explicit HeapCheck(CheckedBlock& block);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void inspect(ObservedAccess& access) override;

 private:
  CheckedBlock& block_;
  const MemoryRegion* heap_ = nullptr;  // nullptr: the program has none
};

}  // namespace tilescope
