#pragma once

#include <cstdint>

#include "analysis/memory/counters.h"
#include "emulator/program.h"

namespace tilescope {

// The most global loads that a warp has under way at one time: from a load to the first
// instruction that reads its result, or, for a cp.async, to the wait for its group.
struct OutstandingLoads {
  int loads = 0;              // warp instructions; 0: the kernel loads nothing
  double bytes = 0;           // distinct ones that their lanes use, as counted
  std::uint32_t line = 0;     // source line of the last of them; 0: not known
  bool asynchronous = false;  // cp.async among them
  bool as_issued = false;     // found in the machine code, else in the PTX as written
};

// The code is read in its order, loops several times, without instructions that never ran; each
// load counts the bytes that it moves on average. It is assumed that loads arrive in order and that
// a warp waits only for its reads: an upper bound of what the hardware does.
[[nodiscard]] OutstandingLoads outstanding_loads(const Program& program,
                                                 const LaunchCounters& counters);

}  // namespace tilescope
