#include <gtest/gtest.h>

#include "accesses.h"
#include "analysis/memory/bank_conflicts.h"

namespace tilescope {
namespace {

using AddressOf = std::function<std::uint64_t(std::uint64_t)>;
constexpr std::uint32_t kAll = 0xffffffff;
constexpr std::uint32_t kEven = 0x55555555;

struct Copy {
  int bytes = 16;
  AddressOf to;
  AddressOf from;
  std::uint32_t reading = kAll;
  std::uint32_t writing = kAll;
  AccessVariant variant = AccessVariant::kPlain;
};

// Sectors, wavefronts and conflicts are what an H200 counted for the probe named beside.
void expect_cost(const Copy& copy, int sectors, int wavefronts, int conflicts) {
  WarpAccess source = access_at(MemorySpace::kGlobal, copy.bytes, copy.from, copy.reading);
  WarpAccess destination = access_at(MemorySpace::kShared, copy.bytes, copy.to, copy.writing);
  source.kind = destination.kind = AccessKind::kAsyncCopy;
  const AsyncCopyCost cost = async_copy_cost(source, destination, copy.variant);
  EXPECT_EQ(cost.requests, copy.reading != 0 ? 1 : 0);
  EXPECT_EQ(cost.source.sectors, sectors);
  EXPECT_EQ(cost.writes.wavefronts, wavefronts);
  EXPECT_EQ(cost.writes.conflicts(), conflicts);
  EXPECT_EQ(async_copy_wavefronts(source, destination, copy.variant).size(),
            static_cast<std::size_t>(wavefronts));
}

AddressOf stride(std::uint64_t bytes) {
  return [=](std::uint64_t lane) { return lane * bytes; };
}
AddressOf pairs(std::uint64_t bytes) {
  return [=](std::uint64_t lane) { return lane / 2 * bytes; };
}

TEST(AsyncCopy, ThroughL1ReadsLikeALoadAndWritesLaneByLane) {
  expect_cost({.bytes = 4, .to = stride(4), .from = stride(4)}, 4, 1, 0);      // 4_dense
  expect_cost({.bytes = 4, .to = stride(128), .from = stride(4)}, 4, 32, 31);  // 4_conflict
  expect_cost({.bytes = 4, .to = stride(0), .from = stride(4)}, 4, 32, 31);    // 4_one_address
  expect_cost({.bytes = 8, .to = stride(16), .from = stride(8)}, 8, 4, 2);     // 8_stride_2
  expect_cost({.bytes = 8, .to = pairs(8), .from = stride(8)}, 8, 4, 2);       // 8_pairs
  expect_cost({.bytes = 16, .to = stride(16), .from = stride(16)}, 16, 4, 0);  // 16_dense
  expect_cost({.bytes = 16, .to = stride(128), .from = stride(16)}, 16, 32, 28);
}
TEST(AsyncCopy, ThroughL1WritesEachSourceLineApart) {
  for (const int bytes : {4, 8, 16}) {  // *_scattered_source
    expect_cost(
        {.bytes = bytes, .to = stride(static_cast<std::uint64_t>(bytes)), .from = stride(128)}, 32,
        32, 24);
  }
}
TEST(AsyncCopy, ThroughL1WritesLinesTogetherOfWhichItReadsOtherWords) {
  const auto rows_of_16 = [](std::uint64_t pitch) {
    return [=](std::uint64_t lane) { return lane / 16 * pitch + lane % 16 * 4; };
  };
  expect_cost({.bytes = 4, .to = stride(4), .from = rows_of_16(256)}, 4, 2, 1);  // rows4_16_256
  expect_cost({.bytes = 4, .to = stride(4), .from = rows_of_16(192)}, 4, 1, 0);  // rows4_16_192
  for (const int bytes : {8, 16}) {  // rows8_32_16, rows16_32_16
    const auto dense = static_cast<std::uint64_t>(bytes);
    const auto later = [=](std::uint64_t lane) { return lane * dense + 16; };
    expect_cost({.bytes = bytes, .to = stride(dense), .from = later}, bytes + 1, bytes / 4, 0);
  }
}
TEST(AsyncCopy, ZerosAreWrittenApart) {
  expect_cost({.bytes = 4, .to = stride(4), .from = stride(4), .reading = 0}, 0, 1, 0);
  expect_cost({.bytes = 4, .to = stride(4), .from = stride(4), .reading = kEven}, 4, 2, 0);
  expect_cost({.bytes = 16, .to = stride(16), .from = stride(16), .reading = kEven}, 16, 8, 0);
}
TEST(AsyncCopy, PastL1MovesASectorForEachLineThatFillsASharedSector) {
  const auto bypass = [](AddressOf to, AddressOf from, std::uint32_t reading = kAll) {
    return Copy{.to = std::move(to),
                .from = std::move(from),
                .reading = reading,
                .variant = AccessVariant::kBypass};
  };
  expect_cost(bypass(stride(16), stride(16)), 16, 0, 0);         // bypass_dense
  expect_cost(bypass(stride(128), stride(16)), 32, 0, 0);        // bypass_conflict
  expect_cost(bypass(stride(32), stride(16)), 32, 0, 0);         // bypass_stride_2
  expect_cost(bypass(pairs(16), stride(16)), 8, 0, 0);           // bypass_pairs
  expect_cost(bypass(stride(16), stride(128)), 32, 0, 0);        // bypass_scattered_source
  expect_cost(bypass(stride(16), stride(16), kEven), 16, 4, 0);  // bypass_zero_fill_odd
}

}  // namespace
}  // namespace tilescope
