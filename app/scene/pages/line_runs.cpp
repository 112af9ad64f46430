#include "scene/pages/line_runs.h"

#include <algorithm>
#include <utility>

namespace tilescope {

std::vector<LineRun> runs_of(std::span<const std::uint32_t> origins, std::uint32_t line) {
  std::vector<LineRun> runs;
  if (line == 0) return runs;
  bool goes_on = false;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    const auto own = static_cast<std::uint32_t>(i) + 1;
    if (origins[i] == 0) continue;
    if (origins[i] != line) {
      goes_on = false;
    } else if (std::exchange(goes_on, true)) {
      runs.back().last = own;
    } else {
      runs.push_back({own, own});
    }
  }
  return runs;
}

std::size_t nearest_run(std::span<const LineRun> runs, LineRun seen) {
  const auto distance = [&](const LineRun& run) {
    if (run.last < seen.first) return seen.first - run.last;
    return run.first > seen.last ? run.first - seen.last : 0U;
  };
  return static_cast<std::size_t>(std::ranges::min_element(runs, {}, distance) - runs.begin());
}

}  // namespace tilescope
