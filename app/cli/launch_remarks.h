#pragma once
#include <string>
#include <vector>

#include "cli/trace_report.h"

namespace tilescope {

// What is no mistake for sure, but worth a sentence beside the tables:
// - of a whole grid that came to its end: no thread has come to any of the places where the kernel
//   writes to global memory;
// - of such a grid: at least half of its threads have left with no access to global memory and
// after
//   little else;
// - as issued: the lines that index a local array by a value which is known at run time alone, so
//   that the array lies in local memory instead of registers.
// Lines are of the kernel's own file. Empty: nothing to say.
[[nodiscard]] std::vector<std::string> remarks_on(const TraceReport& report);

}  // namespace tilescope
