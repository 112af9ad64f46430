#include "gpu/verification.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tilescope {
namespace {

constexpr double kUnitRoundoff = 0x1p-24;  // of FP32
constexpr std::uint64_t kTile = 64;        // of the transposed walk: both sides stay in the L1

// Bits first: equal infinities and NaNs carried over unchanged are no difference.
void take_difference(float got, float want, double* worst) {
  if (std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(want)) return;
  const double difference = std::abs(static_cast<double>(got) - static_cast<double>(want));
  if (!std::isnan(*worst) && !(difference <= *worst)) *worst = difference;
}

}  // namespace

OperandStatistics statistics_of(std::span<const float> values) {
  OperandStatistics statistics;
  if (values.empty()) return statistics;
  double sum = 0;
  double squares = 0;
  for (const float value : values) {
    const auto wide = static_cast<double>(value);
    sum += wide;
    squares += wide * wide;
    statistics.largest = std::max(statistics.largest, std::abs(wide));
  }
  const auto count = static_cast<double>(values.size());
  statistics.mean = sum / count;
  statistics.root_mean_square = std::sqrt(squares / count);
  return statistics;
}

double gemm_tolerance(const GemmScale& scale) {
  const auto k = static_cast<double>(scale.k);
  const double r = std::abs(scale.alpha) * scale.a.root_mean_square * scale.b.root_mean_square;
  const double m = std::abs(scale.alpha * scale.a.mean * scale.b.mean);
  const double deviation = kUnitRoundoff * std::sqrt(k * k * r * r / 6 + k * k * k * m * m / 9);
  const double largest_result =
      7 * std::sqrt(k) * r + k * m + std::abs(scale.beta) * scale.c.largest;
  return 20 * deviation + 8 * kUnitRoundoff * largest_result;
}

double largest_difference(const MatrixSpan& got, const MatrixSpan& want) {
  double worst = 0;
  for (std::uint64_t r = 0; r < got.rows; ++r) {
    const float* g = got.data + r * got.leading;
    const float* w = want.data + r * want.leading;
    for (std::uint64_t c = 0; c < got.cols; ++c) {
      // A NaN is wrong even where the reference has the same one: nobody can tell then.
      if (std::isnan(g[c])) return std::numeric_limits<double>::quiet_NaN();
      take_difference(g[c], w[c], &worst);
    }
  }
  return worst;
}

double transpose_difference(const MatrixSpan& in, const MatrixSpan& out) {
  double worst = 0;
  for (std::uint64_t r0 = 0; r0 < in.rows; r0 += kTile) {
    const std::uint64_t r1 = std::min(r0 + kTile, in.rows);
    for (std::uint64_t c0 = 0; c0 < in.cols; c0 += kTile) {
      const std::uint64_t c1 = std::min(c0 + kTile, in.cols);
      for (std::uint64_t c = c0; c < c1; ++c) {
        for (std::uint64_t r = r0; r < r1; ++r) {
          take_difference(out.data[c * out.leading + r], in.data[r * in.leading + c], &worst);
        }
      }
    }
  }
  return worst;
}

double copy_difference(const MatrixSpan& in, const MatrixSpan& out) {
  double worst = 0;
  for (std::uint64_t r = 0; r < in.rows; ++r) {
    for (std::uint64_t c = 0; c < in.cols; ++c) {
      take_difference(out.data[r * out.leading + c], in.data[r * in.leading + c], &worst);
    }
  }
  return worst;
}

double element_difference(ElementReference reference, const MatrixSpan& in, const MatrixSpan& out) {
  double worst = 0;
  for (std::uint64_t r = 0; r < in.rows; ++r) {
    for (std::uint64_t c = 0; c < in.cols; ++c) {
      const auto element = std::bit_cast<std::int32_t>(in.data[r * in.leading + c]);
      const auto got = std::bit_cast<std::int32_t>(out.data[r * out.leading + c]);
      const std::int64_t want =
          reference.value(element, static_cast<std::int64_t>(r), static_cast<std::int64_t>(c));
      worst = std::max(worst, std::abs(static_cast<double>(got - want)));
    }
  }
  return worst;
}

}  // namespace tilescope
