// What a Tuner has measured, and its order (ui/workbench/tuner.h).
#include <algorithm>
#include <utility>

#include "store/measured_run.h"
#include "ui/workbench/tuner.h"
#include "ui/workbench/tuner_jobs.h"

namespace tilescope {
namespace {

// Fastest first; those without a time last.
bool is_before(const TunedVariant& a, const TunedVariant& b) {
  if ((a.seconds > 0) != (b.seconds > 0)) return a.seconds > 0;
  return a.seconds < b.seconds;
}

}  // namespace

void Tuner::measure_next() {
  if (measuring_ || waiting_.empty() || stage_ != Stage::kExploring) return;
  measuring_ = true;
  TuningCandidate next = std::move(waiting_.front());
  waiting_.erase(waiting_.begin());
  RunRequest request;
  request.instance = *next.instance;
  request.compiled = next.compiled;
  request.timing = short_timing(reference_seconds_ <= 0);
  bench_.measure_aside(std::move(request), [this, next, run = run_](Result<RunResult> result) {
    if (run != run_) return;
    measuring_ = false;
    TunedVariant variant = next.variant;
    if (!result) {
      variant.problem = to_string(result.error());
    } else if (!result->correct) {
      variant.problem = "its result is wrong";
    } else {
      variant.seconds = result->kernel.median_seconds;
      variant.date = today();
      if (result->reference) reference_seconds_ = result->reference->median_seconds;
    }
    TuningCandidate good = next;
    good.variant.seconds = variant.seconds;
    took(next.index, std::move(variant));
    if (good.variant.seconds > 0) keep_to_refine(std::move(good));
  });
}

void Tuner::refine_next() {
  if (stage_ != Stage::kRefining || measuring_ || to_refine_.empty()) return;
  measuring_ = true;
  TuningCandidate next = std::move(to_refine_.front());
  to_refine_.erase(to_refine_.begin());
  RunRequest request;
  request.instance = *next.instance;
  request.compiled = next.compiled;
  request.timing = long_timing();
  bench_.measure_aside(std::move(request), [this, next, run = run_](Result<RunResult> result) {
    if (run != run_) return;
    measuring_ = false;
    const auto variant =
        std::ranges::find(tried_, next.variant.parameters, &TunedVariant::parameters);
    if (variant == tried_.end() || !result || !result->correct) return;
    variant->seconds = result->kernel.median_seconds;
    if (result->reference) variant->reference_seconds = result->reference->median_seconds;
    variant->refined = true;
    variant->date = today();
    rank();
  });
}

void Tuner::took(std::size_t index, TunedVariant variant) {
  ++done_;
  variant.reference_seconds = reference_seconds_;  // of the same problem and size
  if (variant.seconds > 0) order_->found(index, variant.seconds);
  tried_.push_back(variant);
  // In its place: to order thousands anew for each that comes would hold up the window.
  ranked_.insert(std::ranges::upper_bound(ranked_, variant, is_before), std::move(variant));
  found_.reset();
}

void Tuner::rank() {
  found_.reset();
  ranked_ = tried_;
  std::ranges::stable_sort(ranked_, is_before);
}

// Of what was measured only the best stays at hand.
void Tuner::keep_to_refine(TuningCandidate candidate) {
  to_refine_.push_back(std::move(candidate));
  std::ranges::stable_sort(to_refine_, {},
                           [](const TuningCandidate& one) { return one.variant.seconds; });
  if (to_refine_.size() > kRefined) to_refine_.pop_back();
}

}  // namespace tilescope
