#pragma once

#include <cstdint>

#include "analysis/memory/counters.h"
#include "emulator/program.h"

namespace tilescope {

// The most global loads that a warp has under way at one time: from a load to the first
// instruction that reads what it brings, or, of a cp.async, to the wait for its group.
struct OutstandingLoads {
  int loads = 0;              // warp instructions; 0: the kernel loads nothing
  double bytes = 0;           // that their lanes want, distinct ones, as counted
  std::uint32_t line = 0;     // source line of the last of them; 0: not known
  bool asynchronous = false;  // cp.async among them
  bool as_issued = false;     // found in the machine code, else in the PTX as written
};

// The code is gone through in its own order, loops several times, instructions that never ran left
// out; each load counts the bytes that it moves on average. Loads are taken to arrive in order, and
// nothing but a read to make a warp wait: an upper bound of what the hardware does.
[[nodiscard]] OutstandingLoads outstanding_loads(const Program& program,
                                                 const LaunchCounters& counters);

}  // namespace tilescope
