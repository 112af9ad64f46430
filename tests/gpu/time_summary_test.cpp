#include "gpu/time_summary.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tilescope
