#include "scene/rates/rate_unit.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

// A GEMM of 2e9 flop and 8e6 bytes in 1 ms, on a GPU of 4 TFLOP/s, beside a reference of 2.5.
constexpr RateBasis kBasis{
    .own = 2e9, .flop = 2e9, .bytes = 8e6, .peak = 4e12, .reference = 2.5e12};
constexpr double kRate = 2e12;

TEST(RateUnit, TurnsARateIntoEachUnit) {
  EXPECT_DOUBLE_EQ(*in_unit(kRate, RateUnit::kFlopPerSecond, kBasis), 2e12);
  EXPECT_DOUBLE_EQ(*in_unit(kRate, RateUnit::kBytesPerSecond, kBasis), 8e9);
  EXPECT_DOUBLE_EQ(*in_unit(kRate, RateUnit::kTime, kBasis), 1e-3);
  EXPECT_DOUBLE_EQ(*in_unit(kRate, RateUnit::kPeakShare, kBasis), 50);
  EXPECT_DOUBLE_EQ(*in_unit(kRate, RateUnit::kReferenceShare, kBasis), 80);
}

TEST(RateUnit, HasNoShareOfWhatIsNotThere) {
  RateBasis basis = kBasis;
  basis.peak = basis.reference = basis.flop = 0;
  EXPECT_FALSE(in_unit(kRate, RateUnit::kPeakShare, basis));
  EXPECT_FALSE(in_unit(kRate, RateUnit::kReferenceShare, basis));
  EXPECT_FALSE(in_unit(kRate, RateUnit::kFlopPerSecond, basis));
  EXPECT_FALSE(in_unit(0, RateUnit::kTime, kBasis));
}

TEST(RateUnit, WritesValuesWithTheirUnit) {
  EXPECT_EQ(format_in(46.8e12, RateUnit::kFlopPerSecond), "46.8 TFLOP/s");
  EXPECT_EQ(format_in(3.2e12, RateUnit::kBytesPerSecond), "3,200 GB/s");
  EXPECT_EQ(format_in(0.918e-3, RateUnit::kTime), "0.918 ms");
  EXPECT_EQ(format_in(70.1, RateUnit::kPeakShare), "70.1 %");
}

TEST(RateUnit, AnAxisNamesWhatItsFiguresAre) {
  EXPECT_EQ(scale_for(RateUnit::kFlopPerSecond, 4e12, "").word, "TFLOP/s");
  EXPECT_EQ(scale_for(RateUnit::kFlopPerSecond, 4e9, "").word, "GFLOP/s");
  EXPECT_EQ(scale_for(RateUnit::kTime, 2e-5, "").word, "µs");
  EXPECT_EQ(scale_for(RateUnit::kTime, 2e-3, "").word, "ms");
  EXPECT_EQ(scale_for(RateUnit::kPeakShare, 90, "").word, "% of peak");
  EXPECT_EQ(scale_for(RateUnit::kReferenceShare, 90, "cuBLAS").word, "% of cuBLAS");
}

TEST(RateUnit, NamesComeBack) {
  for (const RateUnit unit : all_rate_units()) EXPECT_EQ(parse_rate_unit(name_of(unit)), unit);
  EXPECT_FALSE(parse_rate_unit("furlongs"));
}

}  // namespace
}  // namespace tilescope
