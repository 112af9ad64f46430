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

TEST(BanksSentence, ConflictFreeRow) {
  EXPECT_EQ(
      banks([](auto l) { return 4 * l; }),
      "Line 26 reads 32 words of tile side by side. No two lanes meet in a bank: one wavefront.");
}
TEST(BanksSentence, ColumnInOneBank) {
  EXPECT_EQ(banks([](auto l) { return 128 * l; }, 4, {"tile", 32, true}),
            "Line 26 reads a column of tile. Its rows are 32 words apart, so all 32 lanes meet in "
            "bank 0: "
            "32 wavefronts instead of 1.");
}
TEST(BanksSentence, PaddedColumn) {
  EXPECT_EQ(banks([](auto l) { return 132 * l; }, 4, {"tile", 33, true}),
            "Line 26 reads a column of tile. Rows 33 words apart put each lane into another bank: "
            "one wavefront.");
}
TEST(BanksSentence, ColumnInSomeBanks) {
  EXPECT_EQ(banks([](auto l) { return 144 * l; }, 4, {"tile", 36, true}),
            "Line 26 reads a column of tile. Its rows are 36 words apart, so the lanes share 8 of "
            "32 banks: "
            "4 wavefronts instead of 1.");
}
TEST(BanksSentence, StrideOfTwoWords) {
  EXPECT_EQ(banks([](auto l) { return 8 * l; }),
            "Line 26 reads 32 words of tile that lie 2 words apart. 2 lanes want bank 0, and 16 of "
            "32 banks "
            "take part: 2 wavefronts instead of 1.");
}
TEST(BanksSentence, Broadcast) {
  EXPECT_EQ(
      banks([](auto) { return 16; }),
      "Line 26 reads one word of tile for 32 lanes. A broadcast: 1 wavefront serves them all.");
}
TEST(BanksSentence, SharedWords) {
  EXPECT_EQ(
      banks([](auto l) { return l / 8 * 4; }),
      "Line 26 reads 4 words of tile for 32 lanes. Lanes that want the same word share it: one "
      "wavefront.");
}
TEST(BanksSentence, WordsApartThatSeveralLanesShare) {
  EXPECT_EQ(banks([](auto l) { return l / 16 * 64; }),
            "Line 26 reads 2 words of tile that lie 16 words apart, each for 16 lanes. Lanes that "
            "want the same word share it: one wavefront.");
}
TEST(BanksSentence, VectorsInPasses) {
  EXPECT_EQ(
      banks([](auto l) { return 16 * l; }, 16),
      "Line 26 reads 32 × 16 B of tile side by side. At 16 B a lane the warp goes in 4 passes. "
      "No two lanes meet in a bank: 4 wavefronts, the least.");
}
TEST(BanksSentence, PairsHalveThePasses) {
  EXPECT_EQ(banks([](auto l) { return l / 2 * 16; }, 16),
            "Line 26 reads 16 × 16 B of tile for 32 lanes. Neighbouring lanes share their "
            "addresses, so 2 "
            "passes do for 16 B a lane. Lanes that want the same word share it: 2 wavefronts, the "
            "least.");
}
TEST(BanksSentence, ConflictedVectors) {
  const std::string words = banks([](auto l) { return 32 * l; }, 16);
  EXPECT_NE(words.find("At 16 B a lane the warp goes in 4 passes."), std::string::npos) << words;
  EXPECT_NE(words.find("8 wavefronts instead of 4."), std::string::npos) << words;
}
TEST(BanksSentence, AllInOneBankWithoutAKnownArray) {
  EXPECT_EQ(
      banks([](auto l) { return 128 * l; }, 4, {"", 0, false}, AccessKind::kStore),
      "Line 26 writes 32 words that lie 32 words apart. All 32 lanes meet in bank 0: 32 wavefronts "
      "instead of 1.");
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
  EXPECT_EQ(plain(banks_sentence(copy_of_rows())),
            "Line 387 writes 32 words of A's tile side by side, copied from 4 lines of 128 B. No "
            "two lanes meet in a bank, but what comes from another line is written apart: 4 "
            "wavefronts instead of 1.");
}
TEST(BanksSentence, ACopyPastTheL1MakesNoWavefront) {
  BankFacts facts = copy_of_rows();
  facts.copy->past_l1 = true;
  facts.cost = {};
  EXPECT_EQ(plain(banks_sentence(facts)),
            "Line 387 writes 32 words of A's tile side by side. A copy past the L1 makes no "
            "wavefront.");
}
TEST(BanksSentence, TheZerosOfACopyPastTheL1DoMakeOne) {
  BankFacts facts = copy_of_rows();
  facts.copy->past_l1 = true;
  facts.copy->zero_lanes = 8;
  facts.cost.wavefronts = facts.cost.ideal_wavefronts = 1;
  EXPECT_EQ(plain(banks_sentence(facts)),
            "Line 387 writes 32 words of A's tile side by side. A copy past the L1 makes no "
            "wavefront; only the zeros of 8 lanes that read nothing take 1 wavefront.");
}
TEST(BanksSentence, OneLane) {
  EXPECT_EQ(banks([](auto l) { return 4 * l; }, 4, {}, AccessKind::kLoad, 1),
            "Line 26 reads 1 word for one lane. 1 wavefront, as for a whole warp.");
}
TEST(BanksSentence, NoLane) {
  EXPECT_EQ(banks([](auto l) { return 4 * l; }, 4, {}, AccessKind::kLoad, 0),
            "Line 26 reads nothing: every lane of this warp is off here.");
}

}  // namespace
}  // namespace tilescope
