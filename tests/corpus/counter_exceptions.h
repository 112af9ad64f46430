#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "core/result.h"

namespace tilescope {

// Counters that are known to differ: (launch, metric).
using CounterExceptions = std::set<std::pair<std::string, std::string>>;

// Reads
//   {"exceptions": [{"reason": "...", "metrics": ["smsp__inst_executed.sum"], "launches":
//   ["reduce_shuffle"]}]}
// A metric "finding" stands for what the emulator found wrong, or could not do. Errors (kUsage)
// name the file and line: no reason, or a pair that is there twice.
[[nodiscard]] Result<CounterExceptions> read_exceptions(const std::filesystem::path& file);

}  // namespace tilescope
