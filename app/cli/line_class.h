#pragma once
#include <string>

#include "analysis/counters.h"

namespace tilescope {

// "global_load", "shared_store", "async_copy" ...; for the rest the class: "float", "control" ...
[[nodiscard]] std::string class_of(const LineCounters& row);

}  // namespace tilescope
