#include "analysis/occupancy_limits.h"

#include <algorithm>

#include "core/joined.h"

namespace tilescope {

std::vector<OccupancyLimit> limits_of(const Occupancy& occupancy) {
  std::vector<OccupancyLimit> found{occupancy.limit};
  for (std::size_t i = 0; i < occupancy.resources.size(); ++i) {
    const auto resource = static_cast<OccupancyLimit>(i);
    const bool stops = occupancy.share(resource).blocks <= occupancy.blocks_per_multiprocessor;
    if (stops && resource != occupancy.limit) found.push_back(resource);
  }
  return found;
}

bool limits(const Occupancy& occupancy, OccupancyLimit resource) {
  const std::vector<OccupancyLimit> all = limits_of(occupancy);
  return std::ranges::find(all, resource) != all.end();
}

std::string limits_in_words(const std::vector<OccupancyLimit>& limits) {
  std::vector<std::string> names;
  names.reserve(limits.size());
  for (const OccupancyLimit limit : limits) names.emplace_back(name_of(limit));
  return joined(names);
}

std::string limits_in_words(const Occupancy& occupancy) {
  return limits_in_words(limits_of(occupancy));
}

}  // namespace tilescope
