#include <gtest/gtest.h>

#include "scene/roofline/roofline_words.h"

namespace tilescope {
namespace {

// 1 Gflop on a GPU of 10 TFLOP/s, 1 TB/s of DRAM and 8 TB/s of L1, in 1 ms by the model.
RooflineFacts computing(double bytes, double moved) {
  RooflineFacts facts;
  facts.figure.computes = true;
  facts.figure.flop = 1e9;
  facts.figure.bytes = bytes;
  facts.figure.moved_bytes = moved;
  facts.figure.modelled_seconds = 1e-3;
  facts.figure.dram_bandwidth = 1e12;
  facts.figure.l1_bandwidth = 8e12;
  facts.figure.peak = 10e12;
  facts.first_cause = "Each FMA needs 2 wavefronts of loads";
  facts.worth = 0.44;
  return facts;
}

RooflineFacts moving(double bytes, double moved) {
  RooflineFacts facts = computing(bytes, moved);
  facts.figure.computes = false;
  facts.figure.flop = 0;
  return facts;
}

TEST(RooflineSentence, UnderTheRoofOfL1) {
  EXPECT_EQ(
      plain(roofline_sentence(computing(1e7, 2e9))),
      "Its lanes do 0.50 flop for each byte that they move; were each byte moved once, it would be "
      "100. 1.00 TFLOP/s modelled are 25 % of the 4.00 TFLOP/s that shared memory and L1 could "
      "feed it. The largest cause: each FMA needs 2 wavefronts of loads, worth 44 % of the time.");
}
TEST(RooflineSentence, UnderTheRoofOfDram) {
  RooflineFacts facts = computing(5e8, 5e8);
  facts.figure.known = KnownTime{0.625e-3, Source::kRecorded, 0, {}};
  facts.figure.modelled_seconds = 0.7e-3;
  EXPECT_EQ(
      plain(roofline_sentence(facts)),
      "Its lanes do 2.00 flop for each byte that they move; were each byte moved once, it would be "
      "2.00. 1.60 TFLOP/s recorded are 80 % of the 2.00 TFLOP/s that DRAM could feed it. The "
      "largest cause: each FMA needs 2 wavefronts of loads, worth 44 % of the time.");
}
TEST(RooflineSentence, UnderThePeak) {
  RooflineFacts facts = computing(1e7, 2e8);
  facts.figure.known = KnownTime{0.125e-3, Source::kMeasured, 0, {}};
  facts.figure.modelled_seconds = 0.12e-3;
  EXPECT_EQ(
      plain(roofline_sentence(facts)),
      "Its lanes do 5.00 flop for each byte that they move; were each byte moved once, it would be "
      "100. 8.00 TFLOP/s measured are 80 % of the 10.0 TFLOP/s that the FP32 units could do. The "
      "largest cause: each FMA needs 2 wavefronts of loads, worth 44 % of the time.");
}
TEST(RooflineSentence, UnderThePeakOfTheTensorCores) {
  RooflineFacts facts = computing(1e7, 2e8);
  facts.figure.tensor = true;
  facts.nothing_big = true;
  facts.worth = 0.04;
  EXPECT_EQ(
      plain(roofline_sentence(facts)),
      "Its lanes do 5.00 flop for each byte that they move; were each byte moved once, it would be "
      "100. 1.00 TFLOP/s modelled are 10 % of the 10.0 TFLOP/s that the tensor cores could do. The "
      "largest cause left: each FMA needs 2 wavefronts of loads, worth 4 % of the time.");
}
TEST(RooflineSentence, WithoutAPeakTheBandwidthsAreTheRoof) {
  RooflineFacts facts = computing(1e7, 1e8);
  facts.figure.peak = 0;
  EXPECT_EQ(
      plain(roofline_sentence(facts)),
      "Its lanes do 10.0 flop for each byte that they move; were each byte moved once, it would be "
      "100. 1.00 TFLOP/s modelled are 1.2 % of the 80.0 TFLOP/s that shared memory and L1 could "
      "feed it. The largest cause: each FMA needs 2 wavefronts of loads, worth 44 % of the time.");
}
TEST(RooflineSentence, WhatTheModelCannotExplainIsNotSaidToBeNothing) {
  RooflineFacts facts = moving(1 << 27, 1 << 27);
  facts.figure.known = KnownTime{1.05e-3, Source::kRecorded, 0.861e-3, "device copy"};
  facts.first_cause.clear();
  EXPECT_TRUE(plain(roofline_sentence(facts))
                  .ends_with(" No cause that the model knows is worth 2 %; the 18 % to the device "
                             "copy are unexplained."))
      << plain(roofline_sentence(facts));
  facts.figure.known->reference_seconds = 1.04e-3;
  EXPECT_TRUE(plain(roofline_sentence(facts)).ends_with(" Nothing big is left to gain."));
}
TEST(RooflineSentence, CausesAreSharesOfTheModelledTimeWhereTheModelIsOff) {
  RooflineFacts facts = computing(1e7, 2e8);
  facts.figure.known = KnownTime{0.6e-3, Source::kRecorded, 0, {}};
  EXPECT_TRUE(plain(roofline_sentence(facts))
                  .ends_with("The largest cause: each FMA needs 2 wavefronts of loads, worth 44 % "
                             "of the modelled time."))
      << plain(roofline_sentence(facts));
}
TEST(RooflineSentence, TheL2IsARoofToo) {
  RooflineFacts facts;
  facts.figure.computes = true;
  facts.figure.flop = 1e9;
  facts.figure.bytes = 1e7;
  facts.figure.moved_bytes = 1e8;
  facts.figure.l2_bytes = 1e8;
  facts.figure.modelled_seconds = 1e-3;
  facts.figure.dram_bandwidth = 1e12;
  facts.figure.l2_bandwidth = 2e11;
  facts.figure.l1_bandwidth = 8e12;
  facts.figure.peak = 10e12;
  EXPECT_EQ(facts.figure.roof(), RooflineFigure::Roof::kL2);
  EXPECT_DOUBLE_EQ(facts.figure.allowed(), 2e12);
  EXPECT_NE(plain(roofline_sentence(facts)).find("that the L2 could feed it"), std::string::npos);
  facts.figure.l2_bytes = 0;  // not known: no roof
  EXPECT_EQ(facts.figure.roof(), RooflineFigure::Roof::kPeak);
}
TEST(RooflineSentence, SharesOfTheRoofNeverRoundToNothing) {
  EXPECT_EQ(about_percent_words(0.818), "82 %");
  EXPECT_EQ(about_percent_words(0.0999), "10 %");
  EXPECT_EQ(about_percent_words(0.0414), "4.1 %");
  EXPECT_EQ(about_percent_words(0.00216), "0.22 %");
}
TEST(RooflineSentence, MovesMoreThanItMust) {
  RooflineFacts facts = moving(1 << 27, 603979776);
  facts.first_cause = "32 sectors a request where 4 would do";
  EXPECT_EQ(plain(roofline_sentence(facts)),
            "Its lanes move 576 MiB for 128 MiB that must be moved. 134 GB/s modelled are 13 % of "
            "the datasheet's 1,000 GB/s. The largest cause: 32 sectors a request where 4 would do, "
            "worth 44 % of the time.");
}
TEST(RooflineSentence, MovesWhatItMust) {
  RooflineFacts facts = moving(1 << 27, 1 << 27);
  facts.figure.known = KnownTime{0.16777216e-3, Source::kRecorded, 0, {}};
  facts.nothing_big = true;
  facts.first_cause.clear();
  EXPECT_EQ(plain(roofline_sentence(facts)),
            "Its lanes move 128 MiB, no more than must be moved. 800 GB/s recorded are 80 % of the "
            "datasheet's 1,000 GB/s. Nothing big is left to gain.");
}

}  // namespace
}  // namespace tilescope
