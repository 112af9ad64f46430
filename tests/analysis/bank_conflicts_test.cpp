#include "analysis/bank_conflicts.h"

#include <gtest/gtest.h>

#include <bit>

#include "accesses.h"

namespace tilescope {
namespace {

WarpAccess shared(int bytes, const std::function<std::uint64_t(std::uint64_t)>& word_of,
                  std::uint32_t active = 0xffffffffu) {
  return access_at(
      MemorySpace::kShared, bytes, [&](std::uint64_t lane) { return 4 * word_of(lane); }, active);
}
WarpAccess strided(int bytes, std::uint64_t words) {
  return shared(bytes, [=](std::uint64_t lane) { return lane * words; });
}

void expect_cost(const WarpAccess& access, int wavefronts, int conflicts) {
  const WavefrontCost cost = wavefront_cost(access);
  EXPECT_EQ(cost.wavefronts, wavefronts);
  EXPECT_EQ(cost.conflicts(), conflicts);
  EXPECT_EQ(static_cast<int>(wavefronts_of(access).size()), wavefronts);
}

// Measured on an H200 with ncu; the table stands in docs/accuracy.md.
TEST(Wavefronts32Bit, OddStridesAndBroadcastTakeOne) {
  for (const std::uint64_t stride : {0u, 1u, 3u, 33u}) expect_cost(strided(4, stride), 1, 0);
  expect_cost(shared(4, [](std::uint64_t l) { return l % 16; }), 1, 0);
}
TEST(Wavefronts32Bit, PowerOfTwoStridesSerialise) {
  for (const int stride : {2, 4, 8, 16, 32}) {
    expect_cost(strided(4, static_cast<std::uint64_t>(stride)), stride, stride - 1);
  }
}
TEST(Wavefronts64Bit, GoInHalfWarps) {
  expect_cost(strided(8, 0), 1, 0);
  expect_cost(strided(8, 2), 2, 0);
  expect_cost(shared(8, [](std::uint64_t l) { return l % 16 * 2; }), 2, 0);
  expect_cost(strided(8, 4), 4, 2);
  expect_cost(strided(8, 8), 8, 6);
  expect_cost(strided(8, 16), 16, 14);
}
TEST(Wavefronts128Bit, GoInQuarterWarps) {
  expect_cost(strided(16, 4), 4, 0);
  expect_cost(shared(16, [](std::uint64_t l) { return l % 8 * 4; }), 4, 0);
  expect_cost(shared(16, [](std::uint64_t l) { return l % 4 * 4; }), 4, 0);
  expect_cost(strided(16, 8), 8, 4);
  expect_cost(strided(16, 16), 16, 12);
  expect_cost(strided(16, 32), 32, 28);
  expect_cost(shared(16, [](std::uint64_t l) { return l % 16 * 8; }), 8, 4);
}
TEST(Wavefronts128Bit, PairsOfLanesHalveThePasses) {
  expect_cost(strided(16, 0), 2, 0);
  for (const std::uint64_t group : {4u, 8u, 16u}) {
    expect_cost(shared(16, [=](std::uint64_t l) { return l / group * 4; }), 2, 0);
  }
  expect_cost(shared(16, [](std::uint64_t l) { return (2 * (l / 8) + l % 2) * 4; }), 2, 0);
  expect_cost(shared(16, [](std::uint64_t l) { return l / 2 % 4 * 4; }), 2, 0);
}
TEST(Wavefronts, SubWordLanesShareTheirWord) {
  expect_cost(access_at(MemorySpace::kShared, 1, [](std::uint64_t l) { return l; }), 1, 0);
}
TEST(Wavefronts, NoActiveLaneCostsNothing) {
  expect_cost(shared(
                  4, [](std::uint64_t l) { return l; }, 0),
              0, 0);
}

TEST(WavefrontPicture, EveryActiveLaneIsServedOnceForEachOfItsWords) {
  const WarpAccess access = strided(8, 4);
  std::array<int, kWarpSize> served{};
  for (const Wavefront& wavefront : wavefronts_of(access)) {
    for (std::size_t bank = 0; bank < kBankCount; ++bank) {
      if (wavefront.lanes[bank] == 0) continue;
      EXPECT_EQ(wavefront.word[bank] % kBankCount, bank);
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        served[lane] += static_cast<int>(wavefront.lanes[bank] >> lane & 1u);
      }
    }
  }
  for (const int count : served) EXPECT_EQ(count, 2);
}

}  // namespace
}  // namespace tilescope
