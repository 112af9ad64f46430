#include "ui/workbench/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "analysis/launch_memory.h"
#include "core/parallel.h"
#include "store/recorded_library.h"
#include "ui/workbench/tuner_jobs.h"

namespace tilescope {
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

Tuner::Tuner(Workbench& bench, const RecordedLibrary& recorded)
    : bench_(bench), recorded_(recorded), mailbox_(std::make_shared<Mailbox>()) {
  bench_.on_tick([this] { return tick(); });
}

Tuner::~Tuner() { bench_.on_tick(nullptr); }

std::size_t Tuner::size() const { return order_ ? order_->size() : 0; }

const TunedVariant* Tuner::best() const {
  return ranked_.empty() || ranked_.front().seconds <= 0 ? nullptr : &ranked_.front();
}

std::shared_ptr<const TunedRun> Tuner::found() const {
  if (best() == nullptr || found_ != nullptr) return found_;
  TunedRun run{entry_->id, text_digest(entry_->source), start_, extents_, factors_, {}};
  const auto device = bench_.gpu().device();
  for (const TunedVariant& tried : ranked_) {
    if (tried.seconds <= 0) continue;
    TunedRow& row = run.rows.emplace_back();
    row.parameters = tried.parameters;
    row.seconds = tried.seconds;
    row.reference_seconds = tried.reference_seconds;
    row.source = measures_ ? Source::kMeasured : Source::kModelled;
    row.date = tried.date;
    if (measures_ && device && device->ok()) row.gpu = (*device)->name;
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
  const Variant& variant = bench_.active();
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
  bench_.submit_background(kCountTag, [from, run = run_, mailbox = mailbox_,
                                       device = bench_.device_model()](const auto& stop) {
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
  if (bench_.active().is_edited()) return;  // it would try another text than the one that is shown
  entry_ = counted_from_.entry;
  start_ = counted_from_.parameters;
  extents_ = counted_from_.extents;
  factors_ = counted_from_.factors;
  explored_ = counted_from_.explored;
  const auto device = bench_.gpu().device();
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
  last_tick_ = bench_.now_seconds();
  paused_ = stopped_ = measuring_ = explaining_ = false;
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
  bench_.cancel_aside();
  stopped_ = true;
  paused_ = false;
  ++run_;  // what is under way comes to nothing
  in_jobs_ = 0;
  measuring_ = false;
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
  return std::max(1U, bench_.job_threads() > 1 ? bench_.job_threads() - 1 : 1U);
}

// Jobs that run at once share the processors that the window and what is compiled ahead leave them.
unsigned Tuner::threads_of_a_job() const {
  const unsigned taken = 1 + bench_.threads_beside_jobs();
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
  if (const RecordedRun* run =
          recorded_.find(*entry_, candidate.variant.parameters, extents_, true, factors_).run) {
    candidate.variant.recorded_seconds = run->times.median_seconds;
  }
  bench_.submit_background(tag_of(index),
                           [candidate, task = task(), run = run_, mailbox = mailbox_,
                            workers = threads_of_a_job()](const std::stop_token& stop) mutable {
                             prepare_candidate(task, workers, &mailbox->inputs, stop, &candidate);
                             const std::lock_guard lock(mailbox->mutex);
                             mailbox->candidates.emplace_back(run, std::move(candidate));
                           });
}

bool Tuner::tick() {
  const double now = bench_.now_seconds();
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
  if (in_jobs_ > 0 || measuring_ || !waiting_.empty()) return;
  if (stage_ == Stage::kExploring && done_ == size()) {
    stage_ = Stage::kRefining;
  }
  if (stage_ == Stage::kRefining && to_refine_.empty()) {
    stage_ = Stage::kDone;
    explain();
  }
}

TuningTask Tuner::task() const {
  return {entry_, extents_, factors_, bench_.device_model(), measures_};
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
  bench_.submit_background(kWhyTag, [changes, start = *start, winner = *winner, task = task(),
                                     run = run_, mailbox = mailbox_](const std::stop_token& stop) {
    WinnerStory told = explain_winner(task, changes, start, winner, &mailbox->inputs, stop);
    const std::lock_guard lock(mailbox->mutex);
    mailbox->story.emplace(run, std::move(told));
  });
}

}  // namespace tilescope
