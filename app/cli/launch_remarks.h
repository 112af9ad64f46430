#pragma once
#include <string>
#include <vector>

#include "cli/trace_report.h"

namespace tilescope {

// Sentences on a launch that may be a mistake or may be meant; lines are of the kernel's own file.
// Of a whole grid that came to its end:
// - no thread comes to any of the places where the kernel writes to global memory;
// - at least half of the threads leave after little work, without an access to global memory.
// Of the machine code:
// - lines index a local array by a value that is known at run time alone, so that it lies in local
//   memory instead of registers.
[[nodiscard]] std::vector<std::string> remarks_on(const TraceReport& report);

}  // namespace tilescope
