#pragma once

#include <cstdint>

#include "analysis/study/kernel_study.h"

namespace tilescope {

// Sums over one source line of the kernel.
struct LineCost {
  std::uint32_t line = 0;  // 0: there is no such line
  bool writes = false;
  bool copies = false;       // by cp.async
  bool leaves_loop = false;  // worst_branch: lanes diverge as some leave a loop before others
  double requests = 0;
  double sectors = 0;
  double sectors_ideal = 0;
  double wavefronts = 0;
  double wavefronts_ideal = 0;
  double executed = 0;  // warp instructions
  double divergent = 0;
};

// The most expensive lines: as issued where that is known, else as written.
struct LineCosts {
  LineCost worst_load;  // most excess sectors
  LineCost worst_store;
  LineCost worst_shared;  // most excess wavefronts
  LineCost most_loads;    // most sectors loaded from global memory
  LineCost most_shared;   // most wavefronts
  LineCost most_others;   // most instructions that are neither arithmetic nor memory
  LineCost worst_branch;  // most branches that split the warp
};
// Precondition: study.counters.
[[nodiscard]] LineCosts line_costs(const KernelStudy& study);

// Sums over the accesses of one kind: what they cost, for how many requests.
struct AccessCost {
  double requests = 0;
  double amount = 0;  // sectors of global accesses, wavefronts of shared ones
  double ideal = 0;   // the same with coalesced lanes, or without bank conflicts
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
