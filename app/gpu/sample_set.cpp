#include "gpu/sample_set.h"

#include <cstddef>

#include "gpu/time_summary.h"

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

}  // namespace tilescope
