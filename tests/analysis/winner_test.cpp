#include "analysis/compare/winner.h"

#include <gtest/gtest.h>

#include "compared.h"

namespace tilescope {
namespace {

PairComparison pair_of(double speedup, std::vector<Difference> differences,
                       Source source = Source::kMeasured) {
  PairComparison pair;
  pair.comparable = Comparable::kYes;
  pair.speedup = pair.modelled_speedup = speedup;
  pair.source = source;
  pair.differences = std::move(differences);
  return pair;
}

TEST(WinnerStory, NamesWhatChanged) {
  EXPECT_EQ(
      changes_words(nullptr, {{"STAGES", 3}, {"TILE_K", 16}}, {{"STAGES", 4}, {"TILE_K", 16}}),
      "STAGES 3 → 4");
  EXPECT_EQ(changes_words(nullptr, {{"A", 1}, {"B", 2}}, {{"A", 2}, {"B", 1}}), "A 1 → 2, B 2 → 1");
  EXPECT_EQ(changes_words(nullptr, {{"A", 1}}, {{"A", 1}}), "");
}

TEST(WinnerStory, SaysWhatItBringsAndWhereThatIsKnownFrom) {
  const auto measured = winner_story("STAGES 3 → 4", pair_of(1.25, {}));
  EXPECT_EQ(measured.headline, "STAGES 3 → 4 takes 20 % less time than the start, measured.");
  const auto modelled = winner_story("STAGES 3 → 4", pair_of(1.25, {}, Source::kModelled));
  EXPECT_EQ(modelled.headline, "STAGES 3 → 4 takes 20 % less time than the start, modelled.");
}

TEST(WinnerStory, WithNothingFasterTheStartStands) {
  const auto story = winner_story("", pair_of(1, {}));
  EXPECT_EQ(story.headline, "No tried combination is faster than the start.");
  EXPECT_TRUE(story.reasons.empty());
}

TEST(WinnerStory, BeforeBothAreStudiedItSaysSo) {
  EXPECT_EQ(winner_story("A 1 → 2", {}).headline, "A 1 → 2: their costs are not known yet.");
}

TEST(WinnerStory, EachPartHasItsWords) {
  const auto words = [](Part part, const char* fact, double factor) {
    Difference difference;
    difference.part = part;
    difference.fact = fact;
    difference.factor = factor;
    return winner_story("A 1 → 2", pair_of(1.5, {difference})).reasons.at(0).sentence;
  };
  EXPECT_EQ(words(Part::kInstructions, "80 % of the instructions", 1.25),
            "It issues 80 % of the instructions: 20 % less time, by the model.");
  EXPECT_EQ(words(Part::kShared, "1/32 of the shared wavefronts", 2),
            "It takes 1/32 of the shared wavefronts: 50 % less time, by the model.");
  EXPECT_EQ(words(Part::kStores, "1/4 of the store sectors", 2),
            "It stores with 1/4 of the store sectors: 50 % less time, by the model.");
  EXPECT_EQ(words(Part::kLoads, "50 % of the load wavefronts", 2),
            "It loads with 50 % of the load wavefronts: 50 % less time, by the model.");
  EXPECT_EQ(words(Part::kDram, "80 % of the DRAM bytes", 1.25),
            "It moves 80 % of the DRAM bytes: 20 % less time, by the model.");
  EXPECT_EQ(words(Part::kWaits, "2 × the warps per SM", 1.25),
            "It has 2 × the warps per SM: 20 % less time, by the model.");
  EXPECT_EQ(words(Part::kStores, "2 × the store sectors", 0.8),
            "Against that, it stores with 2 × the store sectors: 25 % more time, by the "
            "model.");
}

TEST(WinnerStory, ALineIsNamedWithWhoseItIs) {
  Difference difference;
  difference.part = Part::kShared;
  difference.fact = "1/32 of the shared wavefronts";
  difference.detail = "a 32-way conflict at line 26";
  difference.line = 26;
  difference.in_base = true;
  difference.factor = 2;
  const WinnerReason reason = winner_story("A 1 → 2", pair_of(2, {difference})).reasons.at(0);
  EXPECT_EQ(reason.sentence,
            "It takes 1/32 of the shared wavefronts (of the start: a 32-way conflict at line 26): "
            "50 % less time, by the model.");
  EXPECT_EQ(reason.line, 26U);
}

TEST(WinnerStory, AtMostThreeReasonsAndNoneInvented) {
  Difference difference;
  difference.fact = "1/2 of the store sectors";
  difference.factor = 1.2;
  const std::vector<Difference> many(5, difference);
  EXPECT_EQ(winner_story("A 1 → 2", pair_of(2, many)).reasons.size(), 3U);
  EXPECT_EQ(winner_story("A 1 → 2", pair_of(1.1, {})).reasons.at(0).sentence,
            "Its counters equal those of the start within 2 %; the model does not know why it is "
            "faster.");
}

TEST(WinnerStory, AModelThatExpectsTheOppositeIsSaidToBeWrong) {
  Difference difference;
  difference.fact = "2 × the store sectors";
  difference.factor = 0.8;
  PairComparison pair = pair_of(1.25, {difference});
  pair.modelled_speedup = 0.8;
  EXPECT_EQ(winner_story("A 1 → 2", pair).reasons.back().sentence,
            "The model is wrong here: it expects 25 % more time.");
}

TEST(WinnerStory, TellsWhatBecameOfTheDearestCause) {
  Diagnosis start;
  start.verdicts = {{Cause::kBankConflicts, "a 32-way conflict", "line 26", 26, 0.4}};
  Diagnosis winner;
  EXPECT_EQ(what_became_of(start, winner).sentence,
            "The largest cost of the start is gone: a 32-way conflict (40 %).");
  winner.verdicts = {{Cause::kBankConflicts, "a 2-way conflict", "line 26", 26, 0.06}};
  EXPECT_EQ(what_became_of(start, winner).sentence,
            "The largest cost of the start: a 32-way conflict (40 %); of the winner: a 2-way "
            "conflict (6 %).");
  winner.verdicts.front().fact = "Each wavefront feeds 6 FMAs";
  EXPECT_EQ(what_became_of(start, winner).sentence,
            "The largest cost of the start: a 32-way conflict (40 %); of the winner: each "
            "wavefront feeds 6 FMAs (6 %).");
  winner.verdicts = start.verdicts;
  EXPECT_EQ(what_became_of(start, winner).sentence,
            "The largest cost is the same: a 32-way conflict (40 %).");
  start.verdicts.front().worth = 0.03;
  EXPECT_TRUE(what_became_of(start, winner).sentence.empty());
}

TEST(WinnerStory, APaddedTransposeWinsByItsConflict) {
  const ParameterSet square = {{"ROWS", 2048}, {"COLS", 2048}};
  const auto plain = testing::compared("transpose/tiled", {{"PAD", 0}}, square);
  const auto padded = testing::compared("transpose/tiled", {{"PAD", 1}}, square);
  const Comparison comparison = compare(std::vector{plain.kernel(), padded.kernel()});
  const WinnerStory story = winner_story("PAD 0 → 1", comparison.pairs[0][1]);
  ASSERT_FALSE(story.reasons.empty());
  EXPECT_NE(story.reasons[0].sentence.find("of the start: a 32-way conflict at line"),
            std::string::npos)
      << story.reasons[0].sentence;
  EXPECT_GT(story.reasons[0].line, 0U);
}

}  // namespace
}  // namespace tilescope
