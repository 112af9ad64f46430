#pragma once
#include <cstdint>

#include "analysis/kernel_study.h"

namespace tilescope {

// Sums over one source line of the kernel.
struct LineCost {
  std::uint32_t line = 0;  // 0: there is no such line
  bool writes = false;
  bool copies = false;       // by cp.async
  bool leaves_loop = false;  // worst_branch: lanes part where some leave a loop before others
  double requests = 0;
  double sectors = 0;
  double sectors_ideal = 0;
  double wavefronts = 0;
  double wavefronts_ideal = 0;
  double executed = 0;  // warp instructions
  double divergent = 0;
};

// The lines that stand out: as issued where that is known, else as written.
struct LineCosts {
  LineCost worst_load;  // most excess sectors
  LineCost worst_store;
  LineCost worst_shared;  // most excess wavefronts
  LineCost most_loads;    // most sectors loaded from global memory
  LineCost most_shared;   // most wavefronts
  LineCost most_others;   // most instructions that are neither arithmetic nor memory
  LineCost worst_branch;  // most branches after which lanes had parted
};
// Precondition: study.counters.
[[nodiscard]] LineCosts line_costs(const KernelStudy& study);

}  // namespace tilescope
