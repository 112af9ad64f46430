#include <gtest/gtest.h>

#include <functional>

#include "analysis/accesses.h"
#include "scene/coalescing/bulk_picture.h"
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

TEST(CoalescingSentence, RowsOfABox) {
  BulkRequest request;
  request.line = 18;
  request.matrix = "in";
  request.rows = {{4096, 128}, {8192, 128}};
  request.sectors = request.sectors_ideal = 8;
  EXPECT_EQ(plain(bulk_sentence(request)),
            "Line 18 loads 2 rows of 128 B of in to shared memory by one bulk copy. They lie in 8 "
            "sectors of 32 B, the minimum.");
  request.rows = {{4112, 128}, {8208, 128}};
  request.sectors = 10;
  request.box.kind = BulkCopy::Kind::kStore;
  EXPECT_EQ(request.rows.front().sectors(), 5u);
  EXPECT_EQ(plain(bulk_sentence(request)),
            "Line 18 stores 2 rows of 128 B of in from shared memory by one bulk copy. They lie in "
            "10 sectors of 32 B; 8 would be enough if rows began and ended at multiples of 32 B.");
}
TEST(CoalescingSentence, Contiguous) {
  EXPECT_EQ(coalescing([](auto l) { return 4096 + 4 * l; }),
            "Line 15 loads 32 floats at contiguous addresses. Coalesced: 4 sectors (128 B), all "
            "bytes used.");
}
TEST(CoalescingSentence, ContiguousVectors) {
  EXPECT_EQ(coalescing([](auto l) { return 16 * l; }, 16),
            "Line 15 loads 32 float4s at contiguous addresses. Coalesced: 16 sectors (512 B), all "
            "bytes used.");
}
TEST(CoalescingSentence, Offset) {
  EXPECT_EQ(coalescing([](auto l) { return 4 + 4 * l; }),
            "Line 15 loads 32 floats at contiguous addresses. Misaligned by 4 B: 5 sectors instead "
            "of 4.");
}
TEST(CoalescingSentence, FarStride) {
  EXPECT_EQ(coalescing([](auto l) { return 32768 * l; }, 4, kAll, AccessKind::kStore),
            "Line 15 stores 32 floats, 32,768 B apart. Not coalesced: each lane needs its own "
            "32-byte sector, so 32 sectors (1,024 B) are moved and 128 B are used.");
}
TEST(CoalescingSentence, NearStride) {
  EXPECT_EQ(coalescing([](auto l) { return 8 * l; }),
            "Line 15 loads 32 floats, 8 B apart. Not fully coalesced: 8 sectors (256 B) are moved "
            "and 128 B are used; 4 would be enough.");
}
TEST(CoalescingSentence, DownwardsIsSideBySideToo) {
  EXPECT_EQ(coalescing([](auto l) { return 4096 - 4 * (l + 1); }),
            "Line 15 loads 32 floats at contiguous addresses. Coalesced: 4 sectors (128 B), all "
            "bytes used.");
}
TEST(CoalescingSentence, Broadcast) {
  EXPECT_EQ(coalescing([](auto) { return 64; }),
            "Line 15 loads one float for all 32 lanes. All of them use the same address "
            "(broadcast): 1 sector.");
}
TEST(CoalescingSentence, BroadcastToSomeLanes) {
  EXPECT_EQ(coalescing([](auto) { return 64; }, 1, 0xff),
            "Line 15 loads one value of 1 B for 8 lanes. All of them use the same address "
            "(broadcast): 1 sector.");
}
TEST(CoalescingSentence, SharedNeighbours) {
  EXPECT_EQ(coalescing([](auto l) { return l / 4 * 4; }),
            "Line 15 loads 8 floats at contiguous addresses for 32 lanes; some lanes use the same "
            "element. Coalesced: 1 sector (32 B), all bytes used.");
}
TEST(CoalescingSentence, RunsOfARowEach) {
  EXPECT_EQ(coalescing([](auto l) { return l / 8 * 4096 + l % 8 * 4; }),
            "Line 15 loads 4 runs of 8 floats, 4,096 B apart. Coalesced: 4 sectors (128 B), all "
            "bytes used.");
}
TEST(CoalescingSentence, TwoAddressesEachForHalfTheWarp) {
  EXPECT_EQ(coalescing([](auto l) { return l / 16 * 16384; }, 16),
            "Line 15 loads 2 float4s, 16,384 B apart, each for 16 lanes. Not fully coalesced: 2 "
            "sectors (64 B) are moved and 32 B are used; 1 would be enough.");
}
TEST(CoalescingSentence, AddressesThatUnequallyManyLanesWant) {
  EXPECT_EQ(coalescing([](auto l) { return std::uint64_t{l == 0 ? 0U : 4096U}; }),
            "Line 15 loads 2 floats, 4,096 B apart, for 32 lanes. Not fully coalesced: 2 sectors "
            "(64 B) are moved and 8 B are used; 1 would be enough.");
}
TEST(CoalescingSentence, Scattered) {
  EXPECT_EQ(coalescing([](auto l) { return (l * l * 37 % 101) * 64; }),
            "Line 15 loads 32 floats at scattered addresses. Not fully coalesced: 32 sectors "
            "(1,024 B) are "
            "moved and 128 B are used; 4 would be enough.");
}
TEST(CoalescingSentence, SomeLanesOff) {
  EXPECT_EQ(coalescing([](auto l) { return 4 * l; }, 4, 0x000fffff),
            "Line 15 loads 20 floats at contiguous addresses. 12 of the warp's 32 lanes are "
            "inactive. 3 sectors (96 B), 80 B used: the minimum.");
}
TEST(CoalescingSentence, OneLane) {
  EXPECT_EQ(coalescing([](auto l) { return 4 * l; }, 4, 1, AccessKind::kAtomic),
            "Line 15 updates one float for one lane; the other 31 are inactive. 1 sector (32 B), 4 "
            "B used: the minimum.");
}
TEST(CoalescingSentence, NoLane) {
  EXPECT_EQ(coalescing([](auto l) { return 4 * l; }, 4, 0),
            "Line 15 loads nothing: no lane of this warp is active here.");
}
TEST(CoalescingSentence, AsynchronousCopy) {
  EXPECT_EQ(coalescing([](auto l) { return 4 * l; }, 4, kAll, AccessKind::kAsyncCopy),
            "Line 15 copies 32 floats at contiguous addresses. Coalesced: 4 sectors (128 B), all "
            "bytes used.");
}
TEST(CoalescingSentence, WithoutASourceLine) {
  CoalescingFacts facts;
  facts.shape = shape_of(access_at(MemorySpace::kGlobal, 4, [](auto l) { return 4 * l; }));
  facts.cost = sector_cost(access_at(MemorySpace::kGlobal, 4, [](auto l) { return 4 * l; }));
  EXPECT_EQ(plain(coalescing_sentence(facts)).substr(0, 28), "This instruction loads 32 fl");
}

}  // namespace
}  // namespace tilescope
