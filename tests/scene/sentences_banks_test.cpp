#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "analysis/accesses.h"
#include "analysis/memory/bank_conflicts.h"
#include "scene/banks/banks_words.h"

namespace tilescope {
namespace {

using Address = std::function<std::uint64_t(std::uint64_t)>;
constexpr std::uint32_t kAll = 0xffffffff;

struct Array {
  std::string name = "tile";
  int pitch_words = 0;
  bool column = false;
};
std::string banks(const Address& address, int bytes = 4, const Array& array = {},
                  AccessKind kind = AccessKind::kLoad, std::uint32_t active = kAll) {
  const WarpAccess shared = access_at(MemorySpace::kShared, bytes, address, active);
  BankFacts facts;
  facts.line = 26;
  facts.kind = kind;
  facts.bytes_per_lane = bytes;
  facts.shape = shape_of(shared);
  facts.cost = wavefront_cost(shared);
  facts.array = array.name;
  facts.pitch_words = array.pitch_words;
  facts.walks_column = array.column;
  std::array<int, kBankCount> words{};
  for (const Wavefront& wavefront : wavefronts_of(shared)) {
    for (std::size_t bank = 0; bank < kBankCount; ++bank) words[bank] += wavefront.lanes[bank] != 0;
  }
  for (std::size_t bank = 0; bank < kBankCount; ++bank) {
    facts.banks_used += words[bank] > 0;
    if (words[bank] > facts.busiest_lanes) {
      facts.busiest_lanes = words[bank];
      facts.busiest_bank = static_cast<int>(bank);
    }
  }
  return plain(banks_sentence(facts));
}

// Lanes that do not take part leave gaps.
TEST(BanksSentence, EverySecondLane) {
  EXPECT_TRUE(banks([](auto l) { return 4 * l; }, 4, {}, AccessKind::kLoad, 0x55555555)
                  .starts_with("Line 26 reads 16 words of tile, 2 words apart."))
      << banks([](auto l) { return 4 * l; }, 4, {}, AccessKind::kLoad, 0x55555555);
  EXPECT_TRUE(banks([](auto l) { return 4 * l; }, 4, {}, AccessKind::kLoad, 0xff)
                  .starts_with("Line 26 reads 8 words of tile at contiguous addresses."));
}

TEST(BanksSentence, ConflictFreeRow) {
  EXPECT_EQ(
      banks([](auto l) { return 4 * l; }),
      "Line 26 reads 32 words of tile at contiguous addresses. No bank conflict: 1 wavefront.");
}
TEST(BanksSentence, ColumnInOneBank) {
  EXPECT_EQ(banks([](auto l) { return 128 * l; }, 4, {"tile", 32, true}),
            "Line 26 reads a column of tile. Rows are 32 words apart, so all 32 lanes use bank 0: "
            "a 32-way bank conflict, 32 wavefronts instead of 1.");
}
TEST(BanksSentence, ChunkOfEachSwizzledRow) {
  const auto chunk = [](auto l) { return 128 * l + (3 ^ l % 8) * 16; };
  const WarpAccess shared = access_at(MemorySpace::kShared, 16, chunk, kAll);
  BankFacts facts;
  facts.line = 26;
  facts.bytes_per_lane = 16;
  facts.shape = shape_of(shared);
  facts.cost = wavefront_cost(shared);
  facts.array = "tile";
  facts.swizzle_bytes = 128;
  facts.reads_one_chunk = 3;
  EXPECT_EQ(plain(banks_sentence(facts)),
            "Line 26 reads 32 × 16 B of tile, chunk 3 of each row. Its rows are in a 128-byte "
            "swizzle: 16-byte chunk c of row r is stored at c XOR (r mod 8). At 16 B per lane the "
            "warp needs at least 4 wavefronts. No bank conflict: 4 wavefronts, the minimum.");
  facts.swizzle_bytes = 64;
  EXPECT_NE(plain(banks_sentence(facts)).find("c XOR (r div 2 mod 4)"), std::string::npos);
}
TEST(BanksSentence, PaddedColumn) {
  EXPECT_EQ(banks([](auto l) { return 132 * l; }, 4, {"tile", 33, true}),
            "Line 26 reads a column of tile. Rows are 33 words apart, so each lane uses a "
            "different bank: no conflict, 1 wavefront.");
}
TEST(BanksSentence, ColumnInSomeBanks) {
  EXPECT_EQ(banks([](auto l) { return 144 * l; }, 4, {"tile", 36, true}),
            "Line 26 reads a column of tile. Rows are 36 words apart, so the lanes use 8 of 32 "
            "banks: a 4-way bank conflict, 4 wavefronts instead of 1.");
}
TEST(BanksSentence, StrideOfTwoWords) {
  EXPECT_EQ(banks([](auto l) { return 8 * l; }),
            "Line 26 reads 32 words of tile, 2 words apart. 2 lanes use bank 0; 16 of 32 banks are "
            "used: a 2-way bank conflict, 2 wavefronts instead of 1.");
}
TEST(BanksSentence, Broadcast) {
  EXPECT_EQ(banks([](auto) { return 16; }),
            "Line 26 reads one word of tile for 32 lanes. Broadcast: 1 wavefront serves them all.");
}
TEST(BanksSentence, SharedWords) {
  EXPECT_EQ(banks([](auto l) { return l / 8 * 4; }),
            "Line 26 reads 4 words of tile for 32 lanes. Lanes that use the same word share it: 1 "
            "wavefront.");
}
TEST(BanksSentence, WordsApartThatSeveralLanesShare) {
  EXPECT_EQ(banks([](auto l) { return l / 16 * 64; }),
            "Line 26 reads 2 words of tile, 16 words apart, each for 16 lanes. Lanes that use the "
            "same word share it: 1 wavefront.");
}
TEST(BanksSentence, VectorsInPasses) {
  EXPECT_EQ(banks([](auto l) { return 16 * l; }, 16),
            "Line 26 reads 32 × 16 B of tile at contiguous addresses. At 16 B per lane the warp "
            "needs at least 4 wavefronts. No bank conflict: 4 wavefronts, the minimum.");
}
TEST(BanksSentence, PairsHalveThePasses) {
  EXPECT_EQ(banks([](auto l) { return l / 2 * 16; }, 16),
            "Line 26 reads 16 × 16 B of tile for 32 lanes. At 16 B per lane, with lanes that share "
            "addresses, the warp needs at least 2 wavefronts. Lanes that use the same word share "
            "it: 2 wavefronts, the minimum.");
}
TEST(BanksSentence, ConflictedVectors) {
  const std::string words = banks([](auto l) { return 32 * l; }, 16);
  EXPECT_NE(words.find("At 16 B per lane the warp needs at least 4 wavefronts."), std::string::npos)
      << words;
  EXPECT_NE(words.find("8 wavefronts instead of 4."), std::string::npos) << words;
}
TEST(BanksSentence, AllInOneBankWithoutAKnownArray) {
  EXPECT_EQ(banks([](auto l) { return 128 * l; }, 4, {"", 0, false}, AccessKind::kStore),
            "Line 26 writes 32 words, 32 words apart. All 32 lanes use bank 0: a 32-way bank "
            "conflict, 32 wavefronts instead of 1.");
}
// Four rows of eight floats each, side by side in the tile.
BankFacts copy_of_rows() {
  WarpAccess to = access_at(MemorySpace::kShared, 4, [](auto l) { return 4 * l; });
  WarpAccess from =
      access_at(MemorySpace::kGlobal, 4, [](auto l) { return l / 8 * 4096 + l % 8 * 4; });
  to.kind = from.kind = AccessKind::kAsyncCopy;
  BankFacts facts;
  facts.line = 387;
  facts.kind = AccessKind::kAsyncCopy;
  facts.array = "A's tile";
  facts.shape = shape_of(to);
  facts.cost = async_copy_cost(from, to, AccessVariant::kPlain).writes;
  facts.copy = BankFacts::Copy{false, source_lines(from), 0};
  return facts;
}
TEST(BanksSentence, ACopyWritesEachSourceLineApart) {
  EXPECT_EQ(
      plain(banks_sentence(copy_of_rows())),
      "Line 387 writes 32 words of A's tile at contiguous addresses, copied from 4 lines of 128 B. "
      "No bank conflict, but the words of each line are written separately: 4 wavefronts instead "
      "of 1.");
}
TEST(BanksSentence, ACopyPastTheL1MakesNoWavefront) {
  BankFacts facts = copy_of_rows();
  facts.copy->past_l1 = true;
  facts.cost = {};
  EXPECT_EQ(plain(banks_sentence(facts)),
            "Line 387 writes 32 words of A's tile at contiguous addresses. A copy that bypasses L1 "
            "needs no wavefront.");
}
TEST(BanksSentence, TheZerosOfACopyPastTheL1DoMakeOne) {
  BankFacts facts = copy_of_rows();
  facts.copy->past_l1 = true;
  facts.copy->zero_lanes = 8;
  facts.cost.wavefronts = facts.cost.ideal_wavefronts = 1;
  EXPECT_EQ(plain(banks_sentence(facts)),
            "Line 387 writes 32 words of A's tile at contiguous addresses. A copy that bypasses L1 "
            "needs no wavefront; only the zero fill of 8 lanes takes 1 wavefront.");
}
TEST(BanksSentence, OneLane) {
  EXPECT_EQ(banks([](auto l) { return 4 * l; }, 4, {}, AccessKind::kLoad, 1),
            "Line 26 reads 1 word for one lane. 1 wavefront, the same as for a whole warp.");
}
TEST(BanksSentence, NoLane) {
  EXPECT_EQ(banks([](auto l) { return 4 * l; }, 4, {}, AccessKind::kLoad, 0),
            "Line 26 reads nothing: no lane of this warp is active here.");
}

}  // namespace
}  // namespace tilescope
