#pragma once
#include <string>
#include <vector>

#include "analysis/occupancy.h"

namespace tilescope {

// All that stop the next block, Occupancy::limit the first of them: where registers and shared
// memory end at the same count, less of one alone lets no block in. Never empty.
[[nodiscard]] std::vector<OccupancyLimit> limits_of(const Occupancy& occupancy);
[[nodiscard]] bool limits(const Occupancy& occupancy, OccupancyLimit resource);

// "registers", "registers and shared memory".
[[nodiscard]] std::string limits_in_words(const Occupancy& occupancy);
[[nodiscard]] std::string limits_in_words(const std::vector<OccupancyLimit>& limits);

}  // namespace tilescope
