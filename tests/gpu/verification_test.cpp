#include "gpu/verification.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tilescope {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

bool is_wrong(double error, double tolerance) { return !(error <= tolerance); }

std::vector<float> uniform(std::size_t count, unsigned seed, float low = -1, float high = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(low, high);
  std::vector<float> made(count);
  std::generate(made.begin(), made.end(), [&] { return values(random); });
  return made;
}

TEST(LargestDifference, OfEqualMatricesIsZero) {
  const std::vector<float> a = uniform(12, 1);
  EXPECT_EQ(largest_difference({a.data(), 3, 4, 4}, {a.data(), 3, 4, 4}), 0);
}

TEST(LargestDifference, FindsTheWorstElement) {
  const std::vector<float> a = {1, 2, 3, 4};
  const std::vector<float> b = {1, 2.5f, 3, 2};
  EXPECT_EQ(largest_difference({a.data(), 2, 2, 2}, {b.data(), 2, 2, 2}), 2);
}

TEST(LargestDifference, DoesNotLookBetweenTheRows) {
  const std::vector<float> a = {1, kNan, 3, kNan};
  const std::vector<float> b = {1, 7, 3, 9};
  EXPECT_EQ(largest_difference({a.data(), 2, 1, 2}, {b.data(), 2, 1, 2}), 0);
}

TEST(LargestDifference, ANanAnywhereIsWrong) {
  const std::vector<float> good = {1, 2, 3, 4};
  for (std::size_t at = 0; at < 4; ++at) {
    std::vector<float> bad = good;
    bad[at] = kNan;
    const double error = largest_difference({bad.data(), 2, 2, 2}, {good.data(), 2, 2, 2});
    EXPECT_TRUE(is_wrong(error, 1e30)) << at;
  }
}

TEST(LargestDifference, ANanStaysWrongBehindALargeError) {
  const std::vector<float> got = {1e30f, kNan, 5};
  const std::vector<float> want = {0, 0, 0};
  EXPECT_TRUE(is_wrong(largest_difference({got.data(), 1, 3, 3}, {want.data(), 1, 3, 3}), 1e38));
}

TEST(TransposeDifference, OfATransposeIsZeroForRaggedShapes) {
  for (const auto& [rows, cols] : {std::pair{1, 1}, {3, 200}, {65, 64}, {130, 71}}) {
    const auto r_count = static_cast<std::size_t>(rows);
    const auto c_count = static_cast<std::size_t>(cols);
    const std::vector<float> in = uniform(r_count * c_count, 2);
    std::vector<float> out(in.size());
    for (std::size_t r = 0; r < r_count; ++r) {
      for (std::size_t c = 0; c < c_count; ++c) out[c * r_count + r] = in[r * c_count + c];
    }
    const MatrixSpan in_span{in.data(), r_count, c_count, c_count};
    const MatrixSpan out_span{out.data(), c_count, r_count, r_count};
    EXPECT_EQ(transpose_difference(in_span, out_span), 0);
    for (const std::size_t at : {std::size_t{0}, out.size() / 2, out.size() - 1}) {
      std::vector<float> bad = out;
      bad[at] += 1;
      EXPECT_TRUE(
          is_wrong(transpose_difference(in_span, {bad.data(), c_count, r_count, r_count}), 0));
      bad[at] = kNan;
      EXPECT_TRUE(
          is_wrong(transpose_difference(in_span, {bad.data(), c_count, r_count, r_count}), 0));
    }
  }
}

// One dot product of K products, summed front to back and in 32 interleaved parts, in float.
struct TwoSums {
  float forward = 0;
  float interleaved = 0;
};
TwoSums two_sums(const float* a, const float* b, std::size_t k) {
  TwoSums sums;
  std::vector<float> parts(32, 0.0f);
  for (std::size_t i = 0; i < k; ++i) {
    sums.forward = std::fma(a[i], b[i], sums.forward);
    parts[i % 32] = std::fma(a[i], b[i], parts[i % 32]);
  }
  for (const float part : parts) sums.interleaved += part;
  return sums;
}

void expect_tolerance_fits(float low, float high, std::size_t k, double most_slack) {
  const std::size_t trials = 2000;
  const std::vector<float> a = uniform(k * 40, 3, low, high);
  const std::vector<float> b = uniform(k * 50, 4, low, high);
  GemmScale scale;
  scale.k = k;
  scale.a = statistics_of(a);
  scale.b = statistics_of(b);
  const double tolerance = gemm_tolerance(scale);
  double worst = 0;
  for (std::size_t t = 0; t < trials; ++t) {
    const TwoSums sums = two_sums(&a[t % 40 * k], &b[t / 40 * k], k);
    worst = std::max(
        worst, std::abs(static_cast<double>(sums.forward) - static_cast<double>(sums.interleaved)));
  }
  EXPECT_LE(worst, tolerance) << "K " << k;
  EXPECT_GT(worst * most_slack, tolerance)
      << "K " << k;  // a tolerance that lets all pass tests nothing
}

TEST(GemmTolerance, CoversTheOrderOfSummationAndLittleMore) {
  for (const std::size_t k : {64u, 512u, 4096u}) {
    expect_tolerance_fits(-1, 1, k, 40);
    expect_tolerance_fits(0, 1, k, 60);
  }
}

TEST(GemmTolerance, CatchesAMissingProduct) {
  // A kernel that forgets the last of K products is off by one product, 0.11 on average.
  GemmScale scale;
  scale.k = 4096;
  scale.a = scale.b = {0, std::sqrt(1.0 / 3), 1};
  EXPECT_LT(gemm_tolerance(scale), 0.01);
}

TEST(GemmTolerance, GrowsWithBetaTimesC) {
  GemmScale scale;
  scale.k = 1;
  scale.a = scale.b = scale.c = {0, 0.5, 1000};
  const double without = gemm_tolerance(scale);
  scale.beta = 2;
  EXPECT_GT(gemm_tolerance(scale), without + 2 * 1000 * 0x1p-24);
}

TEST(OperandStatistics, AreOfTheValues) {
  const std::vector<float> values = {1, -3, 2, 0};
  const OperandStatistics statistics = statistics_of(values);
  EXPECT_EQ(statistics.mean, 0);
  EXPECT_DOUBLE_EQ(statistics.root_mean_square, std::sqrt(14.0 / 4));
  EXPECT_EQ(statistics.largest, 3);
}

}  // namespace
}  // namespace tilescope
