#include "ui/state/practice.h"

#include <algorithm>
#include <utility>

#include "core/file.h"
#include "core/paths.h"
#include "scene/views.h"
#include "session/exercise_document.h"
#include "session/lesson.h"
#include "session/lesson_launch.h"
#include "ui/state/window_state.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr double kLookSeconds = 0.25;   // between looks at the file
constexpr double kTypingSeconds = 0.4;  // without a change before what is typed here is written

}  // namespace

Practice::Practice(Workbench& workbench)
    : library_(load_exercises(exercise_folders())),
      progress_(load_exercise_progress()),
      shared_(std::make_shared<Shared>(workbench.device_model(Source::kRecorded), 1U)) {}

std::size_t Practice::number() const {
  const auto found = std::ranges::find(library_.exercises, exercise_->name, &Exercise::name);
  return static_cast<std::size_t>(found - library_.exercises.begin()) + 1;
}

// The person's file, written where it is not there yet.
Status Practice::take_file() {
  if (progress_.folder.empty()) progress_.folder = data_directory() / "exercises";
  file_ = progress_.folder / exercise_->place;
  if (!is_there(file_)) {
    const auto text = first_text(*exercise_);
    if (!text) return text.error();
    if (Status written = write_own_file(file_, *text); !written) return written;
  }
  auto file = read_kernel_file(file_.string());
  if (!file) return std::move(file).error();
  on_disk_ = std::move(file->source);
  return save_exercise_progress(progress_);
}

bool Practice::open(WindowState& state, const std::string& name) {
  const Exercise* wanted = library_.find(name);
  if (wanted == nullptr) return false;
  const bool was_open = exercise_ != nullptr;
  auto kept = std::exchange(exercise_, std::make_unique<const Exercise>(*wanted));
  progress_ = load_exercise_progress();  // a command may have gone on meanwhile
  if (Status taken = take_file(); !taken) {
    exercise_ = std::move(kept);
    state.note = to_string(taken.error());
    return false;
  }
  state.learn.leave(state);
  state.presentation.leave(state);
  state.learn.show_page(Learn::Page::kNone);
  if (!was_open) state.session.hold(state);
  checked_.reset();
  wanted_.reset();
  jumps_ = true;
  show_file(state);
  state.raise = exercise_->view;
  state.lecture = false;
  state.editing = true;
  state.focus_panel.clear();
  start_check(state.workbench);
  return true;
}

void Practice::leave(WindowState& state) {
  if (exercise_ == nullptr) return;
  follow_file(state);
  exercise_.reset();
  checked_.reset();
  wanted_.reset();
  state.session.give_back(state);
}

void Practice::next(WindowState& state) {
  if (exercise_ == nullptr) return;
  const std::size_t index = number();  // of the one after it, from 0
  if (index < library_.exercises.size()) {
    open(state, library_.exercises[index].name);
    return;
  }
  leave(state);
  state.learn.show_page(Learn::Page::kExercises);
}

int Practice::hints_shown() const {
  return exercise_ != nullptr ? std::min(progress_.of(exercise_->name).hints,
                                         static_cast<int>(exercise_->hints.size()))
                              : 0;
}

std::string Practice::hint(int index) const {
  const auto at = static_cast<std::size_t>(index);
  return checked_ && at < checked_->hints.size() ? checked_->hints[at] : "…";
}

void Practice::show_next_hint(WindowState& state) {
  if (exercise_ == nullptr) return;
  progress_.entries[exercise_->name].hints =
      std::min(hints_shown() + 1, static_cast<int>(exercise_->hints.size()));
  if (Status saved = save_exercise_progress(progress_); !saved) {
    state.note = to_string(saved.error());
  }
  state.frame_wanted = true;
}

// The text of the file in place of what is shown.
void Practice::show_file(WindowState& state) {
  auto variant = variant_of(*exercise_, {file_.string(), on_disk_});
  if (!variant) {
    state.note = to_string(variant.error());
    return;
  }
  const Variant& active = state.workbench.active();
  if (active.own && active.own->file.path == variant->file) {
    variant->selection = active.selection;
    variant->camera = active.camera;
    variant->time_zoom = active.time_zoom;
  }
  state.workbench.restore({*variant}, 0);
  state.frame_wanted = true;
}

// What was typed here is written once nothing is typed for a moment; what another editor wrote is
// shown here.
void Practice::follow_file(WindowState& state) {
  const Variant& active = state.workbench.active();
  const bool is_ours = active.own && active.own->file.path == file_.string();
  if (is_ours && active.shown_source() != on_disk_) {
    if (Status written = write_file(file_, active.shown_source()); !written) {
      state.note = to_string(written.error());
      return;
    }
    on_disk_ = std::string(active.shown_source());
    start_check(state.workbench);
    return;
  }
  auto now = read_kernel_file(file_.string());  // an editor may be replacing it: then later
  if (!now || now->source == on_disk_) return;
  on_disk_ = std::move(now->source);
  show_file(state);
  start_check(state.workbench);
}

void Practice::start_check(Workbench& workbench) {
  checking_ = true;
  workbench.submit(
      "exercise", [held = shared_, exercise = *exercise_,
                   own = KernelFile{file_.string(), on_disk_}](const std::stop_token& stop) {
        const std::lock_guard lock(held->mutex);
        if (stop.stop_requested()) return;
        Checked checked;
        checked.text = own.source;
        auto result = held->checker.check(exercise, own, stop);
        if (!result) {
          if (result.error().code == ErrorCode::kCancelled) return;
          checked.problem = to_string(result.error());
        } else {
          checked.result = *std::move(result);
        }
        const ExerciseResult* known = checked.problem.empty() ? &checked.result : nullptr;
        for (std::size_t hint = 0; hint < exercise.hints.size(); ++hint) {
          checked.hints.push_back(held->checker.hint_text(exercise, hint, known, stop));
        }
        held->results.put(std::move(checked));
      });
}

void Practice::take_result(WindowState& state, Checked checked) {
  if (exercise_ == nullptr || checked.text != on_disk_) return;
  checking_ = false;
  state.frame_wanted = true;
  problem_ = checked.problem;
  if (!problem_.empty()) return;
  checked_ = std::move(checked);
  progress_.remember(exercise_->name, checked_->result.passes());
  if (Status saved = save_exercise_progress(progress_); !saved) {
    state.note = to_string(saved.error());
  }
  const ExerciseRow* failure = checked_->result.first_failure();
  if (std::exchange(jumps_, false)) show(state, failure != nullptr ? *failure : ExerciseRow());
}

void Practice::show(WindowState& state, const ExerciseRow& row) {
  wanted_ = row;
  if (row.view) state.raise = row.view;
  if (row.line != 0) {
    state.sought_line = row.line;
    state.workbench.active().selection.line = row.line;
  }
  state.frame_wanted = true;
}

void Practice::update(WindowState& state) {
  if (exercise_ == nullptr) return;
  for (Checked& each : shared_->results.take()) take_result(state, std::move(each));
  Variant& active = state.workbench.active();
  const bool is_there = active.study != nullptr && !active.study_pending &&
                        active.study->traced() && active.prepared != nullptr;
  if (wanted_ && is_there) {
    LessonScene scene;
    scene.view = name_of(wanted_->view.value_or(exercise_->view));
    if (wanted_->line != 0) scene.source_line = "that of the selection";
    Selection selection = active.selection;
    selection.line = wanted_->line;
    active.selection = selection_of(scene, selection, *active.study, *active.prepared);
    const auto& events = active.study->trace->events;
    if (wanted_->event && *wanted_->event < events.size()) {
      active.selection.event = *wanted_->event;
      active.selection.warp = events[*wanted_->event].warp;
    }
    wanted_.reset();
    state.frame_wanted = true;
  }
  const bool differs = active.own && active.shown_source() != on_disk_;
  if (!differs) typed_.reset();
  if (differs && !typed_) typed_ = state.now;
  if (state.now < look_at_) return;
  look_at_ = state.now + kLookSeconds;
  if (!differs || state.now >= *typed_ + kTypingSeconds) follow_file(state);
}

std::optional<double> Practice::due_seconds() const {
  return exercise_ != nullptr ? std::optional(look_at_) : std::nullopt;
}

}  // namespace tilescope
