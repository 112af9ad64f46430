#include "analysis/time_shares.h"

#include <bit>
#include <cmath>

#include "analysis/time_model.h"

namespace tilescope {
namespace {

void take(Part part, const LaunchWork& from, LaunchWork* work) {
  switch (part) {
    case Part::kStores:
      work->stores = from.stores;
      break;
    case Part::kLoads:
      work->loads = from.loads;
      work->block_sectors = from.block_sectors;
      break;
    case Part::kShared:
      work->shared_wavefronts = from.shared_wavefronts;
      work->shared_wavefronts_ideal = from.shared_wavefronts_ideal;
      break;
    case Part::kDram:
      work->dram_read_bytes = from.dram_read_bytes;
      work->dram_write_bytes = from.dram_write_bytes;
      break;
    case Part::kInstructions:
      work->pipes = from.pipes;
      break;
    case Part::kWaits:  // a longer way of fewer blocks is one thing
      work->path = from.path;
      work->blocks = from.blocks;
      work->warps_per_block = from.warps_per_block;
      work->resident_blocks = from.resident_blocks;
      work->most_resident_warps = from.most_resident_warps;
      work->even = from.even;
      break;
  }
}

}  // namespace

std::array<double, kParts> time_shares(const LaunchWork& base, const LaunchWork& other,
                                       const MachineRates& rates) {
  constexpr std::size_t kSubsets = std::size_t{1} << kParts;
  std::array<double, kSubsets> logarithm{};  // of the time with these parts of the other
  for (std::size_t subset = 0; subset < kSubsets; ++subset) {
    LaunchWork mixed = base;
    for (std::size_t part = 0; part < kParts; ++part) {
      if ((subset >> part & 1U) != 0) take(static_cast<Part>(part), other, &mixed);
    }
    logarithm[subset] = std::log(bounds_of(mixed, rates).total());
  }
  std::array<double, kParts> weight{};  // of a subset by its size: |S|! (n - |S| - 1)! / n!
  weight[0] = 1.0 / kParts;
  for (std::size_t size = 1; size < kParts; ++size) {
    weight[size] =
        weight[size - 1] * static_cast<double>(size) / static_cast<double>(kParts - size);
  }
  std::array<double, kParts> factors{};
  for (std::size_t part = 0; part < kParts; ++part) {
    double gain = 0;
    for (std::size_t subset = 0; subset < kSubsets; ++subset) {
      if ((subset >> part & 1U) != 0) continue;
      gain += weight[static_cast<std::size_t>(std::popcount(subset))] *
              (logarithm[subset] - logarithm[subset | std::size_t{1} << part]);
    }
    factors[part] = std::exp(gain);
  }
  return factors;
}

}  // namespace tilescope
