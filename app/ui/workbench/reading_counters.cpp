// The part of the workbench that has the GPU's counters read: a few readings of one launch, one
// after the other, apart from whatever is timed.
#include <algorithm>
#include <utility>

#include "analysis/counters.h"
#include "store/measured_run.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

constexpr double kDeadlineSeconds = 120;  // several passes, each with the buffers as they were

std::string counters_tag(int variant) { return "counters " + std::to_string(variant); }

}  // namespace

std::optional<Error> Workbench::why_no_counters() const {
  const Variant& variant = active();
  const auto device = gpu_->device();
  if (!device) return Error{ErrorCode::kMachine, "the worker is still starting", "", {}};
  if (!device->ok()) return device->error();
  if (variant.study == nullptr || variant.study->compiled == nullptr ||
      !variant.study->compiled->can_be_loaded() || variant.study_pending) {
    return Error{ErrorCode::kKernel, "the kernel is still being compiled", "", {}};
  }
  if (!variant.not_here.empty()) return Error{ErrorCode::kUsage, variant.not_here, "", {}};
  if (!may_run(variant)) {
    return Error{ErrorCode::kUsage,
                 "this kernel came with a file and was not allowed to run",
                 "Allow it in the bar at the top",
                 {}};
  }
  return std::nullopt;
}

void Workbench::read_counters() {
  Variant& variant = active();
  if (const auto why = why_no_counters()) {
    variant.reading.error = *why;
    return;
  }
  variant.reading = {};
  variant.reading.study = variant.study;
  submit_reading(active_);
}

void Workbench::submit_reading(int index) {
  CounterReading& reading = variants_[static_cast<std::size_t>(index)].reading;
  RunRequest request;
  request.instance = reading.study->instance;
  request.compiled = reading.study->compiled;
  request.timing.verify = false;
  request.timing.deadline_seconds = kDeadlineSeconds;
  request.counters = metric_names();
  reading.ticket = gpu_->submit(counters_tag(index), std::move(request));
}

// What belongs to older parameters is not read to the end.
void Workbench::cancel_reading(int index) {
  CounterReading& reading = variants_[static_cast<std::size_t>(index)].reading;
  if (!reading.pending()) return;
  reading.ticket.reset();
  gpu_->cancel(counters_tag(index));
}

void Workbench::keep_counters(const CounterReading& reading) {
  const KernelStudy& study = *reading.study;
  counters_read_.push_back({key_of(study.instance, /*cold=*/true), study.compiled->architecture,
                            study.compiled->compiler, reading.values, (*gpu_->device())->name,
                            today()});
}

bool Workbench::take_counters(const WorkerLink::Answer& answer) {
  const auto found = std::ranges::find_if(
      variants_, [&](const Variant& variant) { return variant.reading.ticket == answer.ticket; });
  if (found == variants_.end()) return false;
  CounterReading& reading = found->reading;
  reading.ticket.reset();
  if (!answer.result) {
    reading.error = answer.result.error();
    return true;
  }
  reading.values.push_back(answer.result->counters);
  if (!reading.complete()) {
    submit_reading(static_cast<int>(found - variants_.begin()));
    return true;
  }
  keep_counters(reading);
  if (settings_.history && found->measured && found->measured->correct && found->measured->cold &&
      found->study == reading.study) {
    // The history keeps counters beside the times of the same launch; both begin with a cold L2.
    RunResult counted = *found->measured;
    counted.counters = reading.values.front();
    settings_.history->keep(history_entry(**gpu_->device(), *reading.study->compiled,
                                          reading.study->instance, counted));
  }
  return true;
}

}  // namespace tilescope
