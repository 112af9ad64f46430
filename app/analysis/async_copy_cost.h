#pragma once
#include <vector>

#include "analysis/bank_conflicts.h"
#include "analysis/coalescing.h"

namespace tilescope {

// Cost of one warp-wide cp.async. Measured on an H200 (docs/accuracy.md); copies through L1 (.ca)
// and past it (.cg) differ:
// - .ca reads the sectors that a load would. Its shared writes go as bank_conflicts.h says, and
//   apart for each 128-byte line that a pass reads, unless the next line's words lie at other
//   places of the line; the counter of conflicts takes one for each four such groups of a pass as
//   due.
// - .cg moves a sector for each source line that a sector of shared memory is filled from. Its
//   shared writes make no wavefront.
// Lanes that read nothing (size 0) write zeros in wavefronts of their own, with either.
struct AsyncCopyCost {
  int requests = 0;  // 1 when any lane reads
  SectorCost source;
  WavefrontCost writes;
};

// `source`: the lanes that read, with their global addresses. `destination`: every lane that
// writes, with its offset in shared memory. The lanes of `source` are among them.
[[nodiscard]] AsyncCopyCost async_copy_cost(const WarpAccess& source, const WarpAccess& destination,
                                            AccessVariant variant);

// Distinct lines of 128 bytes that it reads.
[[nodiscard]] int source_lines(const WarpAccess& source);

// Its shared writes wavefront by wavefront, for the picture: AsyncCopyCost::writes of them.
[[nodiscard]] std::vector<Wavefront> async_copy_wavefronts(const WarpAccess& source,
                                                           const WarpAccess& destination,
                                                           AccessVariant variant);

}  // namespace tilescope
