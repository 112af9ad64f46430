#include "ui/source/source_marks.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(LineMap, OfAnUnchangedTextIsTheSame) {
  const LineMap map("a\nb\n", "a\nb\n");
  for (const std::uint32_t line : {1U, 2U, 3U}) {
    EXPECT_EQ(map.now(line), line);
    EXPECT_EQ(map.before(line), line);
  }
}

TEST(LineMap, MovesWhatStandsBelowAnInsertedLine) {
  const LineMap map("a\nb\nc", "a\nnew\nb\nc");
  EXPECT_EQ(map.now(1), 1U);
  EXPECT_EQ(map.now(2), 3U);
  EXPECT_EQ(map.now(3), 4U);
  EXPECT_EQ(map.before(2), 0U);
  EXPECT_EQ(map.before(4), 3U);
}

TEST(LineMap, KnowsNoLineForOneThatIsGone) {
  const LineMap map("a\nb\nc", "a\nc");
  EXPECT_EQ(map.now(2), 0U);
  EXPECT_EQ(map.now(3), 2U);
  EXPECT_EQ(map.before(2), 3U);
}

TEST(LineMap, TakesLineEndsForEqual) {
  const LineMap map("a\r\nb\r\nc", "a\nx\nc");
  EXPECT_EQ(map.now(1), 1U);
  EXPECT_EQ(map.now(2), 0U);
  EXPECT_EQ(map.now(3), 3U);
}

// What is no mistake is neither called nor coloured as one.
TEST(SourceMark, AdviceIsPale) {
  SourceMark mark{.line = 1, .column = 0, .words = {}, .finding = Finding{}};
  mark.finding->kind = FindingKind::kBarrierPlaces;
  EXPECT_EQ(words_of(mark.finding->kind), "advice");
  EXPECT_EQ(colour_of(mark), ColourRole::kDim);
  mark.finding->kind = FindingKind::kBarrier;
  EXPECT_EQ(colour_of(mark), ColourRole::kExcess);
}

TEST(FindingKind, IsSaidInWords) { EXPECT_EQ(words_of(FindingKind::kSharedRace), "shared race"); }

}  // namespace
}  // namespace tilescope
