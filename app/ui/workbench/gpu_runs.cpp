#include "ui/workbench/gpu_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analysis/memory/counters.h"
#include "gpu/gpu_device.h"
#include "kernel/catalogue/parameter_values.h"
#include "store/measurement.h"
#include "store/source_digest.h"

namespace tilescope {
namespace {

constexpr int kFirstLooks = 3;            // launches until there is a first point
constexpr double kDeadlineSeconds = 120;  // several passes, each with the buffers as they were

std::string time_tag(int variant) { return fmt::format("measure {}", variant); }
std::string counters_tag(int variant) { return fmt::format("counters {}", variant); }

void put(Result<RunResult> result, Variant* variant) {
  if (!result) {
    variant->measure_error = result.error();
    return;
  }
  variant->measured = *std::move(result);
  variant->measure_error.reset();
}

}  // namespace

GpuRuns::GpuRuns(WorkerLink& gpu, std::vector<Variant>& variants,
                 std::shared_ptr<HistoryWriter> history,
                 std::chrono::steady_clock::time_point start)
    : gpu_(gpu), variants_(variants), history_(std::move(history)), start_(start) {}

double GpuRuns::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::optional<std::size_t> GpuRuns::kind_of(const Variant& variant) const {
  const std::vector<GpuKind> gpus = gpu_.gpus();
  const auto own = std::ranges::find_if(gpus, [&](const GpuKind& gpu) {
    return variant.gpu.empty() || gpu.info.name == variant.gpu;
  });
  if (own == gpus.end()) return std::nullopt;
  return static_cast<std::size_t>(own - gpus.begin());
}

Machine GpuRuns::machine_of_run(const Measuring& measuring) const {
  const std::vector<GpuKind> gpus = gpu_.gpus();
  return machine_of(measuring.kind < gpus.size() ? gpus[measuring.kind].info : DeviceInfo{},
                    *measuring.compiled);
}

void GpuRuns::time(int index, std::shared_ptr<const KernelInstance> instance,
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
  const std::size_t kind = kind_of(variant).value_or(0);
  const auto request_id = gpu_.submit_to(kind, time_tag(index), std::move(request));
  under_way_.push_back(
      {request_id, index, kind, variant.request, std::move(instance), std::move(compiled)});
  under_way_.back().cold = cold_;
}

void GpuRuns::time_aside(RunRequest request, std::function<void(Result<RunResult>)> done) {
  Measuring measuring;
  measuring.variant = Measuring::kAside;
  measuring.instance = std::make_shared<const KernelInstance>(request.instance);
  measuring.compiled = request.compiled;
  measuring.done = std::move(done);
  measuring.cold = request.timing.cold;
  measuring.tag = fmt::format("aside {}", ++asides_);
  measuring.request_id = gpu_.submit(measuring.tag, std::move(request));
  under_way_.push_back(std::move(measuring));
}

void GpuRuns::cancel_aside() {
  for (const Measuring& measuring : under_way_) {
    if (measuring.variant == Measuring::kAside) gpu_.cancel(measuring.tag);
  }
}

void GpuRuns::set_cold(bool cold) {
  cold_ = cold;
  early_.clear();
  if (!live_.empty()) changed(cold ? "cold L2" : "warm L2");
  for (Variant& variant : variants_) {
    variant.measured.reset();
    variant.measure_error.reset();
    variant.measure_request = 0;  // what is not there yet to be measured is, once it comes
  }
}

void GpuRuns::want_phases(int index, const DeviceModel& device, JobPool& pool) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  if (!variant.measured || variant.phases_asked || variant.study_pending ||
      kind_of(variant) != std::size_t{0}) {
    return;
  }
  variant.phases_asked = true;
  phase_runs_.want({index, variant.request, variant.study, device.compute_capability,
                    variant.measured->kernel.median_seconds},
                   pool);
}

bool GpuRuns::take() {
  bool changed = false;
  phase_runs_.submit(gpu_);
  const auto take_phases = [&](const PhaseRuns::Wanted& wanted,
                               const std::shared_ptr<const MeasuredPhases>& phases) {
    keep_phases(wanted, *phases);
  };
  gpu_.poll([&](const WorkerLink::Progress& progress) { changed |= take_launch(progress); },
            [&](WorkerLink::Answer answer) {
              changed |= phase_runs_.take(answer, take_phases);
              changed |= take_counters(answer);
              changed |= take_time(std::move(answer));
            });
  return changed;
}

bool GpuRuns::take_launch(const WorkerLink::Progress& progress) {
  const auto found = std::ranges::find(under_way_, progress.request_id, &Measuring::request_id);
  if (found == under_way_.end()) return false;
  found->seconds.push_back(progress.kernel_seconds);
  if (found->variant == Measuring::kAside) return false;
  const ProblemCost work = problem_cost(*found->instance);
  live_.add(
      {seconds(), progress.kernel_seconds, found->variant, found->cold, work.flop, work.bytes},
      found->instance);
  return true;
}

bool GpuRuns::take_time(WorkerLink::Answer answer) {
  const auto found = std::ranges::find(under_way_, answer.request_id, &Measuring::request_id);
  if (found == under_way_.end()) return false;
  const Measuring measuring = std::move(*found);
  under_way_.erase(found);
  if (history_ && answer.result && answer.result->correct) {
    history_->keep(history_entry(
        measurement_of(*measuring.instance, *answer.result, machine_of_run(measuring))));
  }
  if (answer.result) keep_point(measuring, *answer.result);
  if (measuring.variant == Measuring::kAside) {
    measuring.done(std::move(answer.result));
    return true;
  }
  variants_[static_cast<std::size_t>(measuring.variant)].measure_pending =
      std::ranges::find(under_way_, measuring.variant, &Measuring::variant) != under_way_.end();
  show(std::move(answer.result), measuring);
  return true;
}

void GpuRuns::show(Result<RunResult> result, const Measuring& measuring) {
  if (!result && result.error().code == ErrorCode::kCancelled) return;
  if (measuring.cold != cold_) return;
  Variant& variant = variants_[static_cast<std::size_t>(measuring.variant)];
  if (kind_of(variant) != measuring.kind) return;  // another GPU was chosen since
  if (variant.study != nullptr && same_instance(variant.study->instance, *measuring.instance)) {
    put(std::move(result), &variant);
  } else if (variant.request == measuring.request) {
    early_.insert_or_assign(measuring.variant, std::pair(measuring.request, std::move(result)));
  }
}

void GpuRuns::study_arrived(int index) {
  const auto early = early_.find(index);
  if (early == early_.end()) return;
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  if (early->second.first == variant.request) put(std::move(early->second.second), &variant);
  early_.erase(early);
}

void GpuRuns::cancel(int index, JobPool& pool) {
  gpu_.cancel(time_tag(index));
  phase_runs_.cancel(index, pool, gpu_);
  // What belongs to older parameters is not read to the end.
  CounterReading& reading = variants_[static_cast<std::size_t>(index)].reading;
  if (!reading.pending()) return;
  reading.request_id.reset();
  gpu_.cancel(counters_tag(index));
}

void GpuRuns::forget_variants() {
  std::erase_if(under_way_, [](const Measuring& m) { return m.variant != Measuring::kAside; });
  early_.clear();
}

void GpuRuns::keep_point(const Measuring& measuring, const RunResult& result) {
  const KernelInstance& instance = *measuring.instance;
  Measurement point = measurement_of(instance, result, machine_of_run(measuring));
  point.of.source = text_digest(instance.source);
  measured_.add(std::move(point));
}

void GpuRuns::keep_phases(const PhaseRuns::Wanted& wanted, const MeasuredPhases& phases) {
  const auto device = gpu_.device();
  const KernelStudy& study = *wanted.study;
  phases_.push_back({session_key(study.instance, /*cold=*/true), study.trace->block, phases});
  phases_.back().phases.gpu = device && device->ok() ? (*device)->name : std::string();
  phases_.back().phases.date = today();
}

void GpuRuns::read_counters(int index) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  variant.reading = {};
  variant.reading.study = variant.study;
  submit_reading(index);
}

void GpuRuns::submit_reading(int index) {
  CounterReading& reading = variants_[static_cast<std::size_t>(index)].reading;
  RunRequest request;
  request.instance = reading.study->instance;
  request.compiled = reading.study->compiled;
  request.timing.verify = false;
  request.timing.deadline_seconds = kDeadlineSeconds;
  request.counters = metric_names();
  reading.request_id = gpu_.submit(counters_tag(index), std::move(request));
}

void GpuRuns::keep_counters(const CounterReading& reading) {
  const KernelStudy& study = *reading.study;
  counters_.push_back({session_key(study.instance, /*cold=*/true), study.compiled->architecture,
                       study.compiled->compiler, reading.values, (*gpu_.device())->name, today()});
}

bool GpuRuns::take_counters(const WorkerLink::Answer& answer) {
  const auto found = std::ranges::find_if(variants_, [&](const Variant& variant) {
    return variant.reading.request_id == answer.request_id;
  });
  if (found == variants_.end()) return false;
  CounterReading& reading = found->reading;
  reading.request_id.reset();
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
  if (history_ && found->measured && found->measured->correct && found->measured->cold &&
      found->study == reading.study) {
    // The history keeps counters beside the times of the same launch; both begin with a cold L2.
    RunResult counted = *found->measured;
    counted.counters = reading.values.front();
    history_->keep(history_entry(measurement_of(
        reading.study->instance, counted, machine_of(**gpu_.device(), *reading.study->compiled))));
  }
  return true;
}

}  // namespace tilescope
