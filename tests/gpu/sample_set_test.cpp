#include "gpu/sample_set.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

constexpr std::uint64_t kIdle = 0x1;  // no reason to drop anything

RunResult result_of(const SampleSet& samples) {
  RunResult result;
  result.reference_name = "cuBLAS";
  samples.summarise_into(&result);
  return result;
}

TEST(SampleSet, ThrottledSamplesAreDroppedAndCounted) {
  SampleSet samples;
  for (int i = 0; i < 10; ++i) samples.add({1.0, 2.0, 0}, kIdle);
  for (int i = 0; i < 30; ++i) samples.add({5.0, 9.0, 0}, kPowerCap | kIdle);
  samples.add({6.0, 9.0, 0}, kThermal);
  const RunResult result = result_of(samples);
  EXPECT_EQ(result.kernel.count, 10);
  EXPECT_EQ(result.kernel.median_seconds, 1.0);
  ASSERT_TRUE(result.reference.has_value());
  EXPECT_EQ(result.reference->median_seconds, 2.0);
  EXPECT_FALSE(result.other.has_value());
  EXPECT_EQ(result.conditions.throttled_samples, 31);
  EXPECT_EQ(result.conditions.throttle_reasons, kPowerCap | kThermal);
  EXPECT_FALSE(result.conditions.all_throttled);
}

TEST(SampleSet, WhereAllWereThrottledTheyAreKeptAndItIsSaid) {
  SampleSet samples;
  for (int i = 0; i < 9; ++i) samples.add({5.0, 9.0, 7.0}, kHardwareSlowdown);
  const RunResult result = result_of(samples);
  EXPECT_EQ(result.kernel.count, 9);
  EXPECT_EQ(result.kernel.median_seconds, 5.0);
  EXPECT_EQ(result.conditions.throttled_samples, 9);
  EXPECT_TRUE(result.conditions.all_throttled);
}

TEST(SampleSet, OnlyGoodSamplesMakeTheMedianKnown) {
  SampleSet samples;
  for (int i = 0; i < 50; ++i) samples.add({1.0, 0, 0}, kPowerCap);
  EXPECT_FALSE(samples.known_to(0.5));
  for (int i = 0; i < 20; ++i) samples.add({1.0, 0, 0}, 0);
  EXPECT_TRUE(samples.known_to(0.001));
  EXPECT_FALSE(samples.known_to(0));  // all samples are wanted
}

TEST(SampleSet, ASteadyKernelWaitsForItsReference) {
  SampleSet samples;
  for (int i = 0; i < 19; ++i) {
    samples.add({1.0, 2.0, 0}, kIdle);
    EXPECT_FALSE(samples.known_to(0.01)) << i;  // too few of the reference
  }
  samples.add({1.0, 2.0, 0}, kIdle);
  EXPECT_TRUE(samples.known_to(0.01));
}

TEST(SampleSet, AReferenceThatHasNotSettledIsNotKnown) {
  SampleSet samples;
  for (int i = 0; i < 40; ++i) samples.add({1.0, i % 2 == 0 ? 2.0 : 3.0, 0}, kIdle);
  EXPECT_FALSE(samples.known_to(0.01));
  for (int i = 0; i < 400; ++i) samples.add({1.0, 2.0, 0}, kIdle);
  EXPECT_TRUE(samples.known_to(0.01));
  const RunResult result = result_of(samples);
  EXPECT_EQ(result.reference->count, 440);
  EXPECT_LE(result.reference->relative_error, 0.01);
}

}  // namespace
}  // namespace tilescope
