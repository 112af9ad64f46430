#include "analysis/block_sample.h"

namespace tilescope {
namespace {

struct AxisSample {
  std::uint32_t index;
  std::uint64_t weight;
};

std::vector<AxisSample> sample_axis(std::uint32_t extent, std::uint32_t preferred) {
  if (extent == 1) return {{0, 1}};
  const std::uint32_t others = preferred < extent - 1 ? preferred : (extent - 1) / 2;
  return {{others, extent - 1}, {extent - 1, 1}};
}

}  // namespace

std::vector<SampledBlock> sample_blocks(const Dim3& grid, std::uint64_t all_up_to,
                                        std::optional<Dim3> preferred) {
  std::vector<SampledBlock> sample;
  if (grid.count() <= all_up_to) {
    for (std::uint64_t block = 0; block < grid.count(); ++block) sample.push_back({block, 1});
    return sample;
  }
  const Dim3 first = preferred.value_or(grid);
  for (const AxisSample& z : sample_axis(grid.z, first.z)) {
    for (const AxisSample& y : sample_axis(grid.y, first.y)) {
      for (const AxisSample& x : sample_axis(grid.x, first.x)) {
        sample.push_back(
            {flatten({x.index, y.index, z.index}, grid), x.weight * y.weight * z.weight});
      }
    }
  }
  return sample;
}

}  // namespace tilescope
