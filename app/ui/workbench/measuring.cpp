// The part of the workbench that measures: what is sent to the worker, and what its answers fill.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "kernel/same_instance.h"
#include "store/measured_run.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostLivePoints = 20000;
constexpr int kFirstLooks = 3;  // launches until there is a first point

}  // namespace

std::string Workbench::measure_tag(int variant) { return fmt::format("measure {}", variant); }

void Workbench::measure_again() { request_measurement(active_); }

void Workbench::request_measurement(int index) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  const auto device = gpu_->device();
  if (variant.study == nullptr || !variant.study->compiled->can_be_loaded() || !device ||
      !device->ok() || !variant.not_here.empty() ||
      !may_run(variant.study->instance, *variant.study->compiled))
    return;
  measure(index, std::make_shared<const KernelInstance>(variant.study->instance),
          variant.study->compiled);
}

void Workbench::measure(int index, std::shared_ptr<const KernelInstance> instance,
                        std::shared_ptr<const CompiledKernel> compiled) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  RunRequest request;
  request.instance = *instance;
  request.compiled = compiled;
  request.timing.first_looks = kFirstLooks;
  request.timing.cold = cold_;
  variant.measure_pending = true;
  variant.measure_request = variant.request;
  early_.erase(index);
  const auto ticket = gpu_->submit(measure_tag(index), std::move(request));
  measuring_.push_back({ticket, index, variant.request, std::move(instance), std::move(compiled)});
  measuring_.back().cold = cold_;
}

void Workbench::set_cold(bool cold) {
  if (cold == cold_) return;
  cold_ = cold;
  early_.clear();
  if (!live_.empty()) changes_.push_back({now_seconds(), cold ? "cold L2" : "warm L2"});
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    Variant& variant = variants_[static_cast<std::size_t>(i)];
    variant.measured.reset();
    variant.measure_error.reset();
    variant.measure_request = 0;  // what is not there yet to be measured is, once it comes
    if (settings_.measure && !variant.study_pending) request_measurement(i);
  }
}

bool Workbench::take_measurements() {
  bool changed = false;
  phase_runs_.submit(*gpu_);
  const auto take_phases = [&](const PhaseRuns::Wanted& wanted,
                               const std::shared_ptr<const MeasuredPhases>& phases) {
    keep_phases(wanted, *phases);
  };
  const auto find = [&](WorkerLink::Ticket ticket) {
    return std::find_if(measuring_.begin(), measuring_.end(),
                        [&](const Measuring& m) { return m.ticket == ticket; });
  };
  gpu_->poll(
      [&](const WorkerLink::Progress& progress) {
        const auto measuring = find(progress.ticket);
        if (measuring == measuring_.end()) return;
        measuring->seconds.push_back(progress.kernel_seconds);
        if (measuring->variant == Measuring::kAside) return;
        changed = true;
        live_date_ = today();
        live_.push_back({now_seconds(), progress.kernel_seconds, measuring->variant,
                         problem_cost(*measuring->instance), measuring->instance, measuring->cold});
      },
      [&](WorkerLink::Answer answer) {
        changed |= phase_runs_.take(answer, take_phases);
        changed |= take_counters(answer);
        const auto found = find(answer.ticket);
        if (found == measuring_.end()) return;
        changed = true;
        const Measuring measuring = std::move(*found);
        measuring_.erase(found);
        if (settings_.history && answer.result && answer.result->correct) {
          settings_.history->keep(history_entry(**gpu_->device(), *measuring.compiled,
                                                *measuring.instance, *answer.result));
        }
        if (measuring.variant == Measuring::kAside) {
          if (answer.result) keep_point(measuring, *answer.result);
          measuring.done(std::move(answer.result));
          return;
        }
        Variant& variant = variants_[static_cast<std::size_t>(measuring.variant)];
        variant.measure_pending =
            std::any_of(measuring_.begin(), measuring_.end(),
                        [&](const Measuring& m) { return m.variant == measuring.variant; });
        take_answer(std::move(answer.result), measuring, &variant);
      });
  if (live_.size() > kMostLivePoints) {
    live_.erase(live_.begin(), live_.begin() + static_cast<std::ptrdiff_t>(kMostLivePoints / 4));
  }
  return changed;
}

void Workbench::keep_point(const Measuring& measuring, const RunResult& result) {
  const KernelInstance& instance = *measuring.instance;
  const RecordedRun run = recorded_run(instance, result);
  const auto device = gpu_->device();
  measured_.add({.of = key_of(instance, result.cold),
                 .times = run.times,
                 .reference = run.reference,
                 .reference_name = run.reference_name,
                 .flop = run.flop,
                 .bytes = run.bytes,
                 .gpu = device && device->ok() ? (*device)->name : std::string(),
                 .toolkit = measuring.compiled->compiler,
                 .date = run.date});
}

void Workbench::keep_phases(const PhaseRuns::Wanted& wanted, const MeasuredPhases& phases) {
  const auto device = gpu_->device();
  const KernelStudy& study = *wanted.study;
  phases_read_.push_back({key_of(study.instance, /*cold=*/true), study.trace->block, phases});
  phases_read_.back().phases.gpu = device && device->ok() ? (*device)->name : std::string();
  phases_read_.back().phases.date = today();
}

void Workbench::take_answer(Result<RunResult> result, const Measuring& measuring,
                            Variant* variant) {
  if (result) {
    keep_point(measuring, *result);
  } else if (result.error().code == ErrorCode::kCancelled) {
    return;
  }
  if (measuring.cold != cold_) return;
  if (variant->study != nullptr && same_instance(variant->study->instance, *measuring.instance)) {
    show_answer(std::move(result), variant);
  } else if (variant->request == measuring.request) {
    early_.insert_or_assign(measuring.variant, std::pair(measuring.request, std::move(result)));
  }
}

void Workbench::show_answer(Result<RunResult> result, Variant* variant) {
  if (!result) {
    variant->measure_error = result.error();
    return;
  }
  variant->measured = *std::move(result);
  variant->measure_error.reset();
}

void Workbench::measure_aside(RunRequest request, std::function<void(Result<RunResult>)> done) {
  Measuring measuring;
  measuring.variant = Measuring::kAside;
  measuring.instance = std::make_shared<const KernelInstance>(request.instance);
  measuring.compiled = request.compiled;
  measuring.done = std::move(done);
  measuring.cold = request.timing.cold;
  measuring.ticket = gpu_->submit("aside", std::move(request));
  measuring_.push_back(std::move(measuring));
}

void Workbench::cancel_aside() { gpu_->cancel("aside"); }

void Workbench::want_phases() {
  Variant& variant = active();
  if (!variant.measured || variant.phases_asked || variant.study_pending) return;
  variant.phases_asked = true;
  phase_runs_.want({active_, variant.request, variant.study, device_model_->compute_capability,
                    variant.measured->kernel.median_seconds},
                   pool_);
}

}  // namespace tilescope
