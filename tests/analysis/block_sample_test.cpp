#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "analysis/study/kernel_study.h"

namespace tilescope {
namespace {

std::uint64_t total(const std::vector<SampledBlock>& sample) {
  return std::accumulate(sample.begin(), sample.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const SampledBlock& s) { return sum + s.weight; });
}

TEST(BlockSample, TakesAllOfAFew) { EXPECT_EQ(sample_blocks({2, 3, 1}, 8).size(), 6u); }

TEST(BlockSample, StandsForEveryBlockOnce) {
  for (const Dim3 grid : {Dim3{32, 32, 1}, Dim3{1000, 1, 1}, Dim3{1, 7, 9}, Dim3{5, 4, 3}}) {
    const auto sample = sample_blocks(grid, 4);
    EXPECT_EQ(total(sample), grid.count());
    EXPECT_LE(sample.size(), 8u);
    for (const SampledBlock& s : sample) EXPECT_LT(s.block, grid.count());
  }
}

TEST(BlockSample, HoldsTheRaggedCorner) {
  const auto sample = sample_blocks({16, 16, 1}, 4);
  EXPECT_EQ(sample.size(), 4u);
  EXPECT_EQ(sample.back().block, 255u);
  EXPECT_EQ(sample.back().weight, 1u);
}

TEST(BlockSample, LooksAtThePreferredBlock) {
  for (const Dim3 preferred : {Dim3{0, 0, 0}, Dim3{3, 9, 0}, Dim3{15, 2, 0}, Dim3{15, 15, 0}}) {
    const auto sample = sample_blocks({16, 16, 1}, 4, preferred);
    EXPECT_EQ(total(sample), 256u);
    EXPECT_TRUE(std::ranges::any_of(sample, [&](const SampledBlock& s) {
      return s.block == flatten(preferred, {16, 16, 1});
    }));
  }
}

}  // namespace
}  // namespace tilescope
