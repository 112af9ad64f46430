#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "scene/model/prepared.h"

namespace tilescope {

// The access of a source line that costs most in the traced block, and what its lanes access.
struct LineAccess {
  std::uint32_t line = 0;  // of the source
  bool is_shared = false;  // of shared memory, else of global memory
  bool is_load = false;
  std::uint32_t event = 0;  // of the trace
  std::uint32_t warp = 0;
  int excess = 0;          // sectors or wavefronts beyond the least
  std::string lanes = {};  // "lanes 0 to 3: in[0], in[64], in[128], in[192]; lane 31: in[1984]"
};

// One for each line, memory and direction, by line. A copy (cp.async) loads from global memory and
// stores to shared memory. Precondition: a traced study.
[[nodiscard]] std::vector<LineAccess> line_accesses(const KernelStudy& study,
                                                    const PreparedStudy& prepared);

}  // namespace tilescope
