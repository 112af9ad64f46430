#include "gpu/sample_set.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace tilescope {
namespace {

// A steady kernel is known from eight samples. What it is held against takes longer to settle after
// a long launch of another kernel, and decides "percent of reference" just as much.
constexpr std::size_t kLeastOfReference = 20;

}  // namespace

void SampleSet::add(const SampleTurn& turn, std::uint64_t throttle_reasons) {
  const std::uint64_t reasons = throttle_reasons & kThrottled;
  reasons_ |= reasons;
  Times& times = reasons != 0 ? throttled_ : good_;
  times.kernel.push_back(turn.kernel);
  times.reference.push_back(turn.reference);
  times.other.push_back(turn.other);
}

bool SampleSet::known_to(double relative_error) const {
  if (!(relative_error > 0) || relative_error_of(good_.kernel) > relative_error) return false;
  const bool has_reference = !good_.reference.empty() && good_.reference.front() > 0;
  if (!has_reference) return true;
  return good_.reference.size() >= kLeastOfReference &&
         relative_error_of(good_.reference) <= relative_error;
}

void SampleSet::summarise_into(RunResult* result) const {
  MeasuredConditions& conditions = result->conditions;
  conditions.throttle_reasons = reasons_;
  conditions.throttled_samples = static_cast<int>(throttled_.kernel.size());
  conditions.all_throttled = good_.kernel.empty() && !throttled_.kernel.empty();
  const Times& times = conditions.all_throttled ? throttled_ : good_;
  result->kernel = summarise(times.kernel);
  if (!result->reference_name.empty()) result->reference = summarise(times.reference);
  if (!result->other_name.empty()) result->other = summarise(times.other);
}

namespace {

double percentile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - std::floor(place));
}

}  // namespace

TimeSummary summarise(std::vector<double> samples) {
  TimeSummary summary;
  if (samples.empty()) return summary;
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  summary.count = static_cast<int>(samples.size());
  summary.median_seconds = percentile(sorted, 0.5);
  summary.p5_seconds = percentile(sorted, 0.05);
  summary.p95_seconds = percentile(sorted, 0.95);
  summary.relative_error = relative_error_of(samples);
  summary.samples = std::move(samples);
  return summary;
}

double relative_error_of(const std::vector<double>& samples) {
  constexpr std::size_t kLeast = 8;
  constexpr double kHalfWidth = 0.98;  // 1.96 standard deviations of a binomial of 1/2, per sqrt(n)
  if (samples.size() < kLeast) return 1;
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());
  const double reach = kHalfWidth * std::sqrt(count);
  const auto low = static_cast<std::size_t>(std::max(count / 2 - reach, 0.0));
  const auto high = std::min(static_cast<std::size_t>(count / 2 + reach), sorted.size() - 1);
  const double median = percentile(sorted, 0.5);
  return median > 0 ? (sorted[high] - sorted[low]) / 2 / median : 1;
}

}  // namespace tilescope
