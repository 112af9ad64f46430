#include "ui/workbench/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/winner.h"
#include "analysis/memory/launch_memory.h"
#include "analysis/occupancy/occupancy.h"
#include "analysis/study/kernel_study.h"
#include "analysis/time/time_model.h"
#include "core/device_table.h"
#include "core/parallel.h"
#include "gpu/kernel_runner.h"
#include "store/measurement.h"
#include "store/recorded_library.h"
#include "store/source_digest.h"

// What a Tuner has measured, and its order (ui/workbench/tuner.h).

namespace tilescope {

// What all combinations of one run of the tuner share.
struct TuningTask {
  const CatalogueEntry* entry = nullptr;
  ParameterSet extents;
  GemmFactors factors;
  DeviceModel device;
  bool measures = false;  // else the time model says how long each takes
};

// A combination on its way through a run.
struct TuningCandidate {
  std::size_t index = 0;  // in the order of the run
  TunedVariant variant;
  std::shared_ptr<const KernelInstance> instance;
  std::shared_ptr<const CompiledKernel> compiled;  // waits for the GPU; nullptr: nothing is left
};

// Compiles the candidate for the GPU, or models its time on `workers` threads; what hinders that
// stands in its variant. For a thread of the pool.
void prepare_candidate(const TuningTask& task, unsigned workers, InputCache* inputs,
                       const std::stop_token& stop, TuningCandidate* candidate);

// Studies the start and the winner and compares them; where one of them cannot be studied, the
// story has no reasons. `changes`: what was changed between them, in words. For a thread of the
// pool.
[[nodiscard]] WinnerStory explain_winner(const TuningTask& task, const std::string& changes,
                                         const TunedVariant& start, const TunedVariant& winner,
                                         InputCache* inputs, const std::stop_token& stop);

// Enough to tell a few per cent apart.
[[nodiscard]] TimingOptions short_timing(bool reference);
// For the best few.
[[nodiscard]] TimingOptions long_timing();

namespace {

void add_resources(const CompiledKernel& compiled, const KernelInstance& instance,
                   const DeviceModel& device, TunedVariant* variant) {
  if (!compiled.has_resources) return;
  variant->registers = compiled.resources.registers;
  variant->shared_bytes = static_cast<double>(compiled.resources.static_shared_bytes) +
                          static_cast<double>(instance.dynamic_shared_bytes);
  const auto fits =
      occupancy(device, {.threads_per_block = static_cast<int>(instance.block.count()),
                         .registers_per_thread = compiled.resources.registers,
                         .static_shared_bytes = compiled.resources.static_shared_bytes,
                         .dynamic_shared_bytes = static_cast<int>(instance.dynamic_shared_bytes)});
  if (fits) variant->occupancy = fits->percent();
}

// All that a comparison asks for.
Result<std::shared_ptr<const KernelStudy>> study_to_compare(const KernelInstance& instance,
                                                            const DeviceModel& device,
                                                            InputCache* inputs,
                                                            const std::stop_token& stop) {
  StudyRequest request;
  request.instance = instance;
  request.inputs = inputs;
  request.compute_capability = device.compute_capability;
  auto study = study_block(request, stop);
  if (!study) return study;
  study = with_resources(*std::move(study), device, stop);
  if (!study) return study;
  return with_issued_counts(*std::move(study), Counted::kSample, 1, stop);
}

void model(const StudyRequest& request, const DeviceModel& device, const std::stop_token& stop,
           TunedVariant* variant) {
  const auto time = modelled_time(request, device, stop);
  if (!time) {
    variant->problem = to_string(time.error());
    return;
  }
  add_resources(time->compiled, request.instance, device, variant);
  variant->seconds = time->seconds;
}

}  // namespace

TimingOptions short_timing(bool reference) {
  TimingOptions timing;
  timing.warm_up = 2;
  timing.samples = 20;
  timing.relative_error = 0.005;
  timing.max_seconds = 0.06;
  timing.reference = reference;
  return timing;
}

TimingOptions long_timing() {
  TimingOptions timing;
  timing.max_seconds = 0.6;
  return timing;
}

void prepare_candidate(const TuningTask& task, unsigned workers, InputCache* inputs,
                       const std::stop_token& stop, TuningCandidate* candidate) {
  TunedVariant& variant = candidate->variant;
  const DeviceModel& device = task.device;
  auto instance = instantiate(*task.entry, variant.parameters, task.extents, task.factors, device);
  if (!instance) {
    variant.problem = to_string(instance.error());
    return;
  }
  if (!task.measures) {
    StudyRequest request;
    request.instance = *std::move(instance);
    request.inputs = inputs;
    request.compute_capability = device.compute_capability;
    request.workers = workers;
    model(request, device, stop, &variant);
    return;
  }
  auto compiled = compile({*instance, device.compute_capability, true}, stop);
  if (!compiled) {
    variant.problem = to_string(compiled.error());
    return;
  }
  add_resources(*compiled, *instance, device, &variant);
  candidate->compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  candidate->instance = std::make_shared<const KernelInstance>(*std::move(instance));
}

WinnerStory explain_winner(const TuningTask& task, const std::string& changes,
                           const TunedVariant& start, const TunedVariant& winner,
                           InputCache* inputs, const std::stop_token& stop) {
  std::vector<std::shared_ptr<const KernelStudy>> studies;
  std::vector<std::optional<Diagnosis>> diagnoses;
  for (const TunedVariant* variant : {&start, &winner}) {
    auto instance =
        instantiate(*task.entry, variant->parameters, task.extents, task.factors, task.device);
    if (!instance) return winner_story(changes, {});
    auto study = study_to_compare(*instance, task.device, inputs, stop);
    if (!study) return winner_story(changes, {});
    studies.push_back(*std::move(study));
    diagnoses.push_back(diagnose(*studies.back()));
  }
  const std::vector<double> seconds{start.seconds, winner.seconds};
  std::vector<ComparedKernel> kernels;
  for (std::size_t i = 0; i < studies.size(); ++i) {
    ComparedKernel kernel{studies[i].get(), diagnoses[i] ? &*diagnoses[i] : nullptr, {}, {}, {}};
    if (task.measures && seconds[i] > 0) {
      kernel.known = Quantity{seconds[i], Unit::kSeconds, Source::kMeasured};
    }
    kernels.push_back(kernel);
  }
  const Comparison comparison = compare(kernels);
  WinnerStory story = winner_story(changes, comparison.pairs[0][1]);
  if (diagnoses[0] && diagnoses[1]) {
    WinnerReason became = what_became_of(*diagnoses[0], *diagnoses[1]);
    if (!became.sentence.empty()) story.reasons.push_back(std::move(became));
  }
  return story;
}

namespace {

constexpr std::size_t kMostWaiting = 3;  // compiled variants ahead of the GPU

std::string tag_of(std::size_t index) { return fmt::format("tune {}", index); }
constexpr const char* kCountTag = "tune count";
constexpr const char* kWhyTag = "tune why";

}  // namespace

struct Tuner::Mailbox {
  std::mutex mutex;
  std::vector<std::pair<std::uint64_t, TuningCandidate>> candidates;
  std::optional<std::pair<std::uint64_t, Result<ParameterSpace>>> space;
  std::optional<std::pair<std::uint64_t, WinnerStory>> story;
  InputCache inputs;
};

Tuner::Tuner(Workbench& workbench, const RecordedLibrary& recorded)
    : workbench_(workbench), recorded_(recorded), mailbox_(std::make_shared<Mailbox>()) {
  workbench_.on_tick([this] { return tick(); });
}

Tuner::~Tuner() { workbench_.on_tick(nullptr); }

std::size_t Tuner::size() const { return order_ ? order_->size() : 0; }

const TunedVariant* Tuner::best() const {
  return ranked_.empty() || ranked_.front().seconds <= 0 ? nullptr : &ranked_.front();
}

TunedRow Tuner::row_of(const TunedVariant& tried) const {
  TunedRow row;
  row.parameters = tried.parameters;
  row.seconds = tried.seconds;
  row.reference_seconds = tried.reference_seconds;
  row.source = measures_ ? Source::kMeasured : Source::kModelled;
  row.date = tried.date;
  row.registers = tried.registers;
  row.shared_bytes = tried.shared_bytes;
  row.occupancy = tried.occupancy;
  if (tried.recorded_seconds > 0) {
    row.recorded_seconds = tried.recorded_seconds;
    row.recorded_gpu = recorded_.gpu();
  }
  const auto device = workbench_.gpu().device();
  if (measures_ && device && device->ok()) {
    row.gpu = (*device)->name;
    row.driver = (*device)->driver;
  }
  return row;
}

std::shared_ptr<const TunedRun> Tuner::found() const {
  if (best() == nullptr || found_ != nullptr) return found_;
  TunedRun run{entry_->id, text_digest(entry_->source), start_, extents_, factors_, {}};
  for (const TunedVariant& tried : ranked_) {
    if (tried.seconds > 0) run.rows.push_back(row_of(tried));
  }
  found_ = std::make_shared<const TunedRun>(std::move(run));
  return found_;
}

const TunedVariant* Tuner::find(const ParameterSet& parameters) const {
  const auto found = std::ranges::find(tried_, parameters, &TunedVariant::parameters);
  return found != tried_.end() ? &*found : nullptr;
}

void Tuner::look() {
  if (stage_ != Stage::kReady) return;
  const Variant& variant = workbench_.active();
  CountedFrom from{variant.entry, variant.parameters, variant.extents, variant.factors, {}};
  if (variant.entry != nullptr) {
    for (const ParameterSpec& spec : variant.entry->parameters) {
      if (explores(spec.name)) from.explored.insert(spec.name);
    }
  }
  if (from == counted_from_) return;
  counted_from_ = from;
  count_.reset();
  ++run_;
  if (variant.entry == nullptr) return;
  workbench_.submit(kCountTag, [from, run = run_, mailbox = mailbox_,
                                device = workbench_.device_model()](const auto& stop) {
    auto space = parameter_space(*from.entry, from.parameters, from.explored, from.extents, device,
                                 kMostSets, stop);
    const std::lock_guard lock(mailbox->mutex);
    mailbox->space.emplace(run, std::move(space));
  });
}

void Tuner::explore(const std::string& parameter, bool wanted) {
  if (wanted) {
    left_out_.erase(parameter);
  } else {
    left_out_.insert(parameter);
  }
}

void Tuner::start() {
  if (stage_ != Stage::kReady || !count_ || count_->legal == 0) return;
  if (workbench_.active().is_edited())
    return;  // it would try another text than the one that is shown
  entry_ = counted_from_.entry;
  start_ = counted_from_.parameters;
  extents_ = counted_from_.extents;
  factors_ = counted_from_.factors;
  explored_ = counted_from_.explored;
  const auto device = workbench_.gpu().device();
  measures_ = device && device->ok();
  order_.emplace(*entry_, space_, values_of(*entry_, start_));
  tried_.clear();
  ranked_.clear();
  found_.reset();
  waiting_.clear();
  to_refine_.clear();
  story_.reset();
  done_ = in_jobs_ = 0;
  worked_seconds_ = reference_seconds_ = 0;
  last_tick_ = workbench_.now_seconds();
  paused_ = stopped_ = explaining_ = false;
  measuring_ = 0;
  stage_ = Stage::kExploring;
  ++run_;
  hand_out();
}

void Tuner::pause(bool paused) {
  if (stage_ != Stage::kExploring && stage_ != Stage::kRefining) return;
  paused_ = paused;
}

void Tuner::stop() {
  if (stage_ != Stage::kExploring && stage_ != Stage::kRefining) return;
  workbench_.runs().cancel_aside();
  stopped_ = true;
  paused_ = false;
  ++run_;  // what is under way comes to nothing
  in_jobs_ = measuring_ = 0;
  waiting_.clear();
  to_refine_.clear();
  stage_ = Stage::kDone;
  explain();
}

void Tuner::reset() {
  stop();
  ++run_;
  stage_ = Stage::kReady;
  explaining_ = false;
  counted_from_ = {};
  count_.reset();
}

std::optional<double> Tuner::seconds_left() const {
  if (stage_ != Stage::kExploring || done_ < 2) return std::nullopt;
  const double each = worked_seconds_ / static_cast<double>(done_);
  return each * static_cast<double>(size() - done_);
}

// One thread stays free for what a person asks for meanwhile.
unsigned Tuner::most_jobs() const {
  return std::max(1U, workbench_.job_threads() > 1 ? workbench_.job_threads() - 1 : 1U);
}

// Jobs that run at once share the processors that the window and what is compiled ahead leave them.
unsigned Tuner::threads_of_a_job() const {
  const unsigned taken = 1 + workbench_.threads_beside_jobs();
  const unsigned processors = processor_count();
  return std::clamp((processors - std::min(taken, processors - 1)) / most_jobs(), 1U, 4U);
}

void Tuner::hand_out() {
  while (running() && stage_ == Stage::kExploring && in_jobs_ < most_jobs() &&
         waiting_.size() + in_jobs_ < (measures_ ? kMostWaiting : std::size_t{most_jobs()})) {
    const auto next = order_->next();
    if (!next) return;
    submit_candidate(*next);
  }
}

void Tuner::submit_candidate(std::size_t index) {
  ++in_jobs_;
  TuningCandidate candidate;
  candidate.index = index;
  candidate.variant.parameters = parameters_of(*entry_, order_->set(index));
  // Of the one GPU that their column is called by.
  const Measurement* found =
      recorded_.find(*entry_, candidate.variant.parameters, extents_, true, factors_);
  if (found != nullptr && found->machine.gpu == recorded_.gpu()) {
    candidate.variant.recorded_seconds = found->result.kernel.median_seconds;
  }
  workbench_.submit(tag_of(index),
                    [candidate, task = task(), run = run_, mailbox = mailbox_,
                     workers = threads_of_a_job()](const std::stop_token& stop) mutable {
                      prepare_candidate(task, workers, &mailbox->inputs, stop, &candidate);
                      const std::lock_guard lock(mailbox->mutex);
                      mailbox->candidates.emplace_back(run, std::move(candidate));
                    });
}

bool Tuner::tick() {
  const double now = workbench_.now_seconds();
  if (running()) worked_seconds_ += now - last_tick_;
  last_tick_ = now;
  std::unique_lock lock(mailbox_->mutex);
  auto candidates = std::exchange(mailbox_->candidates, {});
  auto space = std::exchange(mailbox_->space, std::nullopt);
  auto story = std::exchange(mailbox_->story, std::nullopt);
  lock.unlock();
  bool changed = !candidates.empty();
  if (space && space->first == run_ && space->second) {
    space_ = *std::move(space->second);
    count_ = Count{space_.sets.size(), space_.combinations, space_.complete};
    changed = true;
  }
  if (story && story->first == run_) {
    story_ = std::move(story->second);
    explaining_ = false;
    changed = true;
  }
  for (auto& [run, candidate] : candidates) {
    if (run != run_) continue;
    --in_jobs_;
    if (candidate.compiled != nullptr) {
      waiting_.push_back(std::move(candidate));
    } else {
      took(candidate.index, std::move(candidate.variant));
    }
  }
  if (!running()) return changed;
  measure_next();
  refine_next();
  hand_out();
  finish_if_done();
  return changed;
}

// On to the next stage where this one has nothing left.
void Tuner::finish_if_done() {
  if (in_jobs_ > 0 || measuring_ > 0 || !waiting_.empty()) return;
  if (stage_ == Stage::kExploring && done_ == size()) {
    stage_ = Stage::kRefining;
  }
  if (stage_ == Stage::kRefining && to_refine_.empty()) {
    stage_ = Stage::kDone;
    explain();
  }
}

TuningTask Tuner::task() const {
  return {entry_, extents_, factors_, workbench_.device_model(), measures_};
}

void Tuner::explain() {
  const TunedVariant* winner = best();
  const TunedVariant* start = find(start_);
  if (winner == nullptr || start == nullptr) return;
  const std::string changes = changes_words(entry_, start_, winner->parameters);
  if (changes.empty()) {
    story_ = winner_story(changes, {});
    return;
  }
  explaining_ = true;
  workbench_.submit(kWhyTag, [changes, start = *start, winner = *winner, task = task(), run = run_,
                              mailbox = mailbox_](const std::stop_token& stop) {
    WinnerStory told = explain_winner(task, changes, start, winner, &mailbox->inputs, stop);
    const std::lock_guard lock(mailbox->mutex);
    mailbox->story.emplace(run, std::move(told));
  });
}

namespace {

// Fastest first; those without a time last.
bool is_before(const TunedVariant& a, const TunedVariant& b) {
  if ((a.seconds > 0) != (b.seconds > 0)) return a.seconds > 0;
  return a.seconds < b.seconds;
}

}  // namespace

void Tuner::measure_next() {
  if (stage_ != Stage::kExploring || waiting_.empty()) return;
  if (measuring_ >= workbench_.gpu().workers()) return;
  ++measuring_;
  TuningCandidate next = std::move(waiting_.front());
  waiting_.erase(waiting_.begin());
  RunRequest request;
  request.instance = *next.instance;
  request.compiled = next.compiled;
  request.timing = short_timing(reference_seconds_ <= 0);
  workbench_.runs().time_aside(std::move(request),
                               [this, next, run = run_](Result<RunResult> result) {
                                 if (run != run_) return;
                                 --measuring_;
                                 TunedVariant variant = next.variant;
                                 if (!result) {
                                   variant.problem = to_string(result.error());
                                 } else if (!result->correct) {
                                   variant.problem = "its result is wrong";
                                 } else {
                                   variant.seconds = result->kernel.median_seconds;
                                   variant.date = today();
                                   if (result->reference)
                                     reference_seconds_ = result->reference->median_seconds;
                                 }
                                 TuningCandidate good = next;
                                 good.variant.seconds = variant.seconds;
                                 took(next.index, std::move(variant));
                                 if (good.variant.seconds > 0) keep_to_refine(std::move(good));
                               });
}

void Tuner::refine_next() {
  if (stage_ != Stage::kRefining || to_refine_.empty()) return;
  if (measuring_ >= workbench_.gpu().workers()) return;
  ++measuring_;
  TuningCandidate next = std::move(to_refine_.front());
  to_refine_.erase(to_refine_.begin());
  RunRequest request;
  request.instance = *next.instance;
  request.compiled = next.compiled;
  request.timing = long_timing();
  workbench_.runs().time_aside(
      std::move(request), [this, next, run = run_](Result<RunResult> result) {
        if (run != run_) return;
        --measuring_;
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
