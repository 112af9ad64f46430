#pragma once
#include <cstdint>
#include <optional>

#include "analysis/bank_conflicts.h"
#include "analysis/kernel_study.h"

namespace tilescope {

// What a traced access does to shared memory. Of a cp.async that is its writes, which the lines
// that it reads take part in (analysis/async_copy_cost.h).
struct SharedCost {
  WarpAccess access;  // in shared memory
  WavefrontCost cost;
  struct Copy {
    WarpAccess source;
    AccessVariant variant = AccessVariant::kPlain;
    int source_lines = 0;
  };
  std::optional<Copy> copy;  // cp.async alone
  bool lanes_meet = false;   // two of its lanes want other words of one bank in one pass

  // Of the same lanes at other addresses of shared memory.
  [[nodiscard]] WavefrontCost cost_at(const WarpAccess& elsewhere) const;
};
// Precondition: the event accesses shared memory.
[[nodiscard]] SharedCost shared_cost(const KernelStudy& study, std::uint32_t event);

}  // namespace tilescope
