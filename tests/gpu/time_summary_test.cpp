#include <gtest/gtest.h>

#include "gpu/messages.h"
#include "gpu/sample_set.h"

namespace tilescope {
namespace {

TEST(TimeSummary, OfNothingCountsNothing) { EXPECT_EQ(summarise({}).count, 0); }

TEST(TimeSummary, OfOneSampleIsThatSample) {
  const TimeSummary summary = summarise({3.0});
  EXPECT_EQ(summary.median_seconds, 3.0);
  EXPECT_EQ(summary.p5_seconds, 3.0);
  EXPECT_EQ(summary.p95_seconds, 3.0);
}

TEST(TimeSummary, InterpolatesAndKeepsTheOrderOfTheSamples) {
  const TimeSummary summary = summarise({4.0, 1.0, 3.0, 2.0});
  EXPECT_EQ(summary.median_seconds, 2.5);
  EXPECT_DOUBLE_EQ(summary.p5_seconds, 1.15);
  EXPECT_DOUBLE_EQ(summary.p95_seconds, 3.85);
  EXPECT_EQ(summary.samples, (std::vector<double>{4.0, 1.0, 3.0, 2.0}));
}

TEST(TimeSummary, IsNotMovedByOneOutlier) {
  std::vector<double> samples(101, 1.0);
  samples[50] = 1000.0;
  const TimeSummary summary = summarise(samples);
  EXPECT_EQ(summary.median_seconds, 1.0);
  EXPECT_EQ(summary.p95_seconds, 1.0);
}

TEST(RelativeError, IsTheMediansConfidenceInterval) {
  EXPECT_EQ(relative_error_of({1, 1, 1, 1}), 1);  // too few to say
  EXPECT_EQ(relative_error_of(std::vector<double>(20, 3.0)), 0);
  std::vector<double> samples;
  for (int i = 1; i <= 99; ++i) samples.push_back(i);
  // 95 % of the medians of 99 lie within 0.98 * sqrt(99) ranks of the middle.
  EXPECT_NEAR(relative_error_of(samples), 9.5 / 50, 0.02);
  std::vector<double> outlier(50, 1.0);
  outlier.push_back(1000);
  EXPECT_EQ(relative_error_of(outlier), 0);  // the median does not move
}

TEST(Conditions, SayWhenTheClockMoved) {
  MeasuredConditions conditions;
  EXPECT_FALSE(conditions.clock_moved());  // not readable
  conditions.sm_clock_before_hz = 1.98e9;
  conditions.sm_clock_after_hz = 1.95e9;
  EXPECT_FALSE(conditions.clock_moved());
  conditions.sm_clock_after_hz = 1.755e9;
  EXPECT_TRUE(conditions.clock_moved());
  EXPECT_EQ(throttle_text(0), "");
  EXPECT_EQ(throttle_text(kPowerCap | kThermal), "power cap, temperature");
}

TEST(Conditions, AreDoubtfulWhereTheClockWasHeldDownThroughoutOrMoved) {
  MeasuredConditions conditions;
  conditions.throttled_samples = 5;
  EXPECT_STREQ(doubt_mark(conditions), " ");  // those five are dropped
  conditions.all_throttled = true;
  conditions.throttle_reasons = kPowerCap;
  EXPECT_STREQ(doubt_mark(conditions), "!");
  EXPECT_NE(conditions_text(conditions).find("every sample was throttled (power cap)"),
            std::string::npos);
  conditions = MeasuredConditions();
  conditions.sm_clock_before_hz = 1.98e9;
  conditions.sm_clock_after_hz = 1.6e9;
  EXPECT_STREQ(doubt_mark(conditions), "!");
}

TEST(Conditions, ReasonsComeBackFromTheirWords) {
  for (const std::uint64_t reasons : {std::uint64_t{0}, std::uint64_t{kPowerCap},
                                      std::uint64_t{kPowerCap | kPowerBrake | kHardwareSlowdown}}) {
    EXPECT_EQ(throttle_reasons_of(throttle_text(reasons)), reasons);
  }
  EXPECT_EQ(throttle_text(throttle_reasons_of("temperature")), "temperature");
  EXPECT_EQ(throttle_reasons_of("the moon"), 0U);
}

TEST(Certainty, IsSaidWhereItIsKnown) {
  TimeSummary times;
  EXPECT_EQ(certainty_text(times), "");  // not on record
  times.relative_error = 1;
  EXPECT_EQ(certainty_text(times), "");  // fewer than eight samples
  times.relative_error = 0.0021;
  EXPECT_EQ(certainty_text(times), "0.21 %");
}

}  // namespace
}  // namespace tilescope
