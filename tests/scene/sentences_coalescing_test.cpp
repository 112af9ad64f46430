#include <gtest/gtest.h>

#include <functional>

#include "analysis/accesses.h"
#include "scene/coalescing/coalescing_words.h"

namespace tilescope {
namespace {

using Address = std::function<std::uint64_t(std::uint64_t)>;
constexpr std::uint32_t kAll = 0xffffffff;

std::string coalescing(const Address& address, int bytes = 4, std::uint32_t active = kAll,
                       AccessKind kind = AccessKind::kLoad) {
  const WarpAccess global = access_at(MemorySpace::kGlobal, bytes, address, active);
  CoalescingFacts facts;
  facts.line = 15;
  facts.kind = kind;
  facts.bytes_per_lane = bytes;
  facts.shape = shape_of(global);
  facts.cost = sector_cost(global);
  return plain(coalescing_sentence(facts));
}

TEST(CoalescingSentence, Contiguous) {
  EXPECT_EQ(
      coalescing([](auto l) { return 4096 + 4 * l; }),
      "Line 15 loads 32 floats that lie side by side. 4 sectors move 128 B, all of them wanted.");
}
TEST(CoalescingSentence, ContiguousVectors) {
  EXPECT_EQ(
      coalescing([](auto l) { return 16 * l; }, 16),
      "Line 15 loads 32 float4s that lie side by side. 16 sectors move 512 B, all of them wanted.");
}
TEST(CoalescingSentence, Offset) {
  EXPECT_EQ(
      coalescing([](auto l) { return 4 + 4 * l; }),
      "Line 15 loads 32 floats that lie side by side. The first starts 4 B past a sector's edge. "
      "5 sectors instead of 4.");
}
TEST(CoalescingSentence, FarStride) {
  EXPECT_EQ(
      coalescing([](auto l) { return 32768 * l; }, 4, kAll, AccessKind::kStore),
      "Line 15 stores 32 floats that lie 32,768 B apart. Each lane needs a sector of its own: "
      "32 sectors move 1,024 B for 128 B wanted.");
}
TEST(CoalescingSentence, NearStride) {
  EXPECT_EQ(coalescing([](auto l) { return 8 * l; }),
            "Line 15 loads 32 floats that lie 8 B apart. 8 sectors move 256 B for 128 B wanted: 4 "
            "would do.");
}
TEST(CoalescingSentence, DownwardsIsSideBySideToo) {
  EXPECT_EQ(
      coalescing([](auto l) { return 4096 - 4 * (l + 1); }),
      "Line 15 loads 32 floats that lie side by side. 4 sectors move 128 B, all of them wanted.");
}
TEST(CoalescingSentence, Broadcast) {
  EXPECT_EQ(coalescing([](auto) { return 64; }),
            "Line 15 loads one float for all 32 lanes. 1 sector serves them all; 4 of its 32 B are "
            "wanted.");
}
TEST(CoalescingSentence, BroadcastToSomeLanes) {
  EXPECT_EQ(coalescing([](auto) { return 64; }, 1, 0xff),
            "Line 15 loads one value of 1 B for 8 lanes at once. 1 sector serves them all; 1 of "
            "its 32 B is "
            "wanted.");
}
TEST(CoalescingSentence, SharedNeighbours) {
  EXPECT_EQ(coalescing([](auto l) { return l / 4 * 4; }),
            "Line 15 loads 8 floats side by side for 32 lanes: some lanes want the same. "
            "1 sector moves 32 B, all of them wanted.");
}
TEST(CoalescingSentence, RunsOfARowEach) {
  EXPECT_EQ(
      coalescing([](auto l) { return l / 8 * 4096 + l % 8 * 4; }),
      "Line 15 loads 4 runs of 8 floats, 4,096 B apart. 4 sectors move 128 B, all of them wanted.");
}
TEST(CoalescingSentence, TwoAddressesEachForHalfTheWarp) {
  EXPECT_EQ(coalescing([](auto l) { return l / 16 * 16384; }, 16),
            "Line 15 loads 2 float4s that lie 16,384 B apart, each for 16 lanes. "
            "2 sectors move 64 B for 32 B wanted: 1 would do.");
}
TEST(CoalescingSentence, AddressesThatUnequallyManyLanesWant) {
  EXPECT_EQ(coalescing([](auto l) { return std::uint64_t{l == 0 ? 0U : 4096U}; }),
            "Line 15 loads 2 floats that lie 4,096 B apart, for 32 lanes. "
            "2 sectors move 64 B for 8 B wanted: 1 would do.");
}
TEST(CoalescingSentence, Scattered) {
  EXPECT_EQ(
      coalescing([](auto l) { return (l * l * 37 % 101) * 64; }),
      "Line 15 loads 32 floats at scattered addresses. 32 sectors move 1,024 B for 128 B wanted: 4 "
      "would do.");
}
TEST(CoalescingSentence, SomeLanesOff) {
  EXPECT_EQ(coalescing([](auto l) { return 4 * l; }, 4, 0x000fffff),
            "Line 15 loads 20 floats that lie side by side. 12 of the warp's 32 lanes are off. "
            "3 sectors move 96 B for 80 B wanted: no fewer would hold them.");
}
TEST(CoalescingSentence, OneLane) {
  EXPECT_EQ(coalescing([](auto l) { return 4 * l; }, 4, 1, AccessKind::kAtomic),
            "Line 15 updates one float for one lane; the other 31 are off. "
            "1 sector moves 32 B for 4 B wanted: no fewer would hold them.");
}
TEST(CoalescingSentence, NoLane) {
  EXPECT_EQ(coalescing([](auto l) { return 4 * l; }, 4, 0),
            "Line 15 loads nothing: every lane of this warp is off here.");
}
TEST(CoalescingSentence, AsynchronousCopy) {
  EXPECT_EQ(
      coalescing([](auto l) { return 4 * l; }, 4, kAll, AccessKind::kAsyncCopy),
      "Line 15 copies 32 floats that lie side by side. 4 sectors move 128 B, all of them wanted.");
}
TEST(CoalescingSentence, WithoutASourceLine) {
  CoalescingFacts facts;
  facts.shape = shape_of(access_at(MemorySpace::kGlobal, 4, [](auto l) { return 4 * l; }));
  facts.cost = sector_cost(access_at(MemorySpace::kGlobal, 4, [](auto l) { return 4 * l; }));
  EXPECT_EQ(plain(coalescing_sentence(facts)).substr(0, 28), "This instruction loads 32 fl");
}

}  // namespace
}  // namespace tilescope
