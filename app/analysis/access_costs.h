#pragma once
#include "analysis/kernel_study.h"

namespace tilescope {

// Sums over the accesses of one kind: what they cost, for how many requests.
struct AccessCost {
  double requests = 0;
  double amount = 0;  // sectors of global accesses, wavefronts of shared ones
  double ideal = 0;   // the same where the lanes' bytes lay dense, or met in no bank
};

// A launch's accesses by memory and direction. A copy loads from global memory and stores to shared
// memory.
struct AccessCosts {
  AccessCost loads;
  AccessCost stores;
  AccessCost shared_loads;
  AccessCost shared_stores;
};
// As issued where that is counted, else as written; all 0 without counts.
[[nodiscard]] AccessCosts access_costs(const KernelStudy& study);

}  // namespace tilescope
