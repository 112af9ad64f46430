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
      "Intensity: 0.50 flop per byte of sectors moved; 100 if every byte were moved only once. It "
      "reaches 1.00 TFLOP/s (modelled), 25 % of its L1/shared-memory roof of 4.00 TFLOP/s. The "
      "largest cause: each FMA needs 2 wavefronts of loads; it costs 44 % of the time.");
}
TEST(RooflineSentence, UnderTheRoofOfDram) {
  RooflineFacts facts = computing(5e8, 5e8);
  facts.figure.known = KnownTime{0.625e-3, Source::kRecorded, 0, {}};
  facts.figure.modelled_seconds = 0.7e-3;
  EXPECT_EQ(plain(roofline_sentence(facts)),
            "Intensity: 2.00 flop per byte of sectors moved; 2.00 if every byte were moved only "
            "once. It reaches 1.60 TFLOP/s (recorded), 80 % of its DRAM roof of 2.00 TFLOP/s. The "
            "largest cause: each FMA needs 2 wavefronts of loads; it costs 44 % of the time.");
}
TEST(RooflineSentence, UnderThePeak) {
  RooflineFacts facts = computing(1e7, 2e8);
  facts.figure.known = KnownTime{0.125e-3, Source::kMeasured, 0, {}};
  facts.figure.modelled_seconds = 0.12e-3;
  EXPECT_EQ(plain(roofline_sentence(facts)),
            "Intensity: 5.00 flop per byte of sectors moved; 100 if every byte were moved only "
            "once. It reaches 8.00 TFLOP/s (measured), 80 % of its FP32 roof of 10.0 TFLOP/s. The "
            "largest cause: each FMA needs 2 wavefronts of loads; it costs 44 % of the time.");
}
TEST(RooflineSentence, UnderThePeakOfTheTensorCores) {
  RooflineFacts facts = computing(1e7, 2e8);
  facts.figure.tensor = true;
  facts.nothing_big = true;
  facts.worth = 0.04;
  EXPECT_EQ(
      plain(roofline_sentence(facts)),
      "Intensity: 5.00 flop per byte of sectors moved; 100 if every byte were moved only once. It "
      "reaches 1.00 TFLOP/s (modelled), 10 % of its tensor-core roof of 10.0 TFLOP/s. The largest "
      "cause left: each FMA needs 2 wavefronts of loads; it costs 4 % of the time.");
}
TEST(RooflineSentence, WithoutAPeakTheBandwidthsAreTheRoof) {
  RooflineFacts facts = computing(1e7, 1e8);
  facts.figure.peak = 0;
  EXPECT_EQ(
      plain(roofline_sentence(facts)),
      "Intensity: 10.0 flop per byte of sectors moved; 100 if every byte were moved only once. It "
      "reaches 1.00 TFLOP/s (modelled), 1.2 % of its L1/shared-memory roof of 80.0 TFLOP/s. The "
      "largest cause: each FMA needs 2 wavefronts of loads; it costs 44 % of the time.");
}
TEST(RooflineSentence, WhatTheModelCannotExplainIsNotSaidToBeNothing) {
  RooflineFacts facts = moving(1 << 27, 1 << 27);
  facts.figure.known = KnownTime{1.05e-3, Source::kRecorded, 0.861e-3, "device copy"};
  facts.first_cause.clear();
  EXPECT_TRUE(
      plain(roofline_sentence(facts))
          .ends_with(" No known cause costs 2 %; the 18 % to the device copy are unexplained."))
      << plain(roofline_sentence(facts));
  facts.figure.known->reference_seconds = 1.04e-3;
  EXPECT_TRUE(plain(roofline_sentence(facts)).ends_with(" No large gain is left."));
}
TEST(RooflineSentence, CausesAreSharesOfTheModelledTimeWhereTheModelIsOff) {
  RooflineFacts facts = computing(1e7, 2e8);
  facts.figure.known = KnownTime{0.6e-3, Source::kRecorded, 0, {}};
  EXPECT_TRUE(plain(roofline_sentence(facts))
                  .ends_with("The largest cause: each FMA needs 2 wavefronts of loads; it costs 44 "
                             "% of the modelled time."))
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
  EXPECT_NE(plain(roofline_sentence(facts)).find("of its L2 roof"), std::string::npos);
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
  facts.first_cause = "32 sectors per request instead of 4";
  EXPECT_EQ(plain(roofline_sentence(facts)),
            "It moves 576 MiB; the minimum is 128 MiB. It reaches 134 GB/s (modelled), 13 % of "
            "1,000 GB/s (datasheet). The largest cause: 32 sectors per request instead of 4; it "
            "costs 44 % of the time.");
}
TEST(RooflineSentence, MovesWhatItMust) {
  RooflineFacts facts = moving(1 << 27, 1 << 27);
  facts.figure.known = KnownTime{0.16777216e-3, Source::kRecorded, 0, {}};
  facts.nothing_big = true;
  facts.first_cause.clear();
  EXPECT_EQ(plain(roofline_sentence(facts)),
            "It moves 128 MiB, the minimum. It reaches 800 GB/s (recorded), 80 % of 1,000 GB/s "
            "(datasheet). No large gain is left.");
}

}  // namespace
}  // namespace tilescope
