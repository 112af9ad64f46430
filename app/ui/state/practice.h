#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/job_pool.h"
#include "session/exercise.h"
#include "session/exercise_check.h"
#include "session/exercise_progress.h"

namespace tilescope {

struct WindowState;
class Workbench;

// The exercises in the window: the one that is open shows the person's file, which is checked each
// time that it changes, here or in another editor. What the person had open is put aside meanwhile
// (Session::hold()). UI thread.
class Practice {
 public:
  explicit Practice(Workbench& workbench);

  [[nodiscard]] const ExerciseLibrary& library() const { return library_; }
  [[nodiscard]] const ExerciseProgress& progress() const { return progress_; }

  // false: there is none of this name, or its file cannot be written (then state.note says why).
  bool open(WindowState& state, const std::string& name);
  // Gives the person's own state back.
  void leave(WindowState& state);
  // Without giving anything back: another document takes the window.
  void drop() { exercise_.reset(); }
  // Opens the one that comes after it in the list; after the last one the list comes.
  void next(WindowState& state);

  // The open exercise; nullptr: none is.
  [[nodiscard]] const Exercise* exercise() const { return exercise_.get(); }
  [[nodiscard]] std::size_t number() const;  // in the list, from 1
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  // Of the last check; nullptr: none yet.
  [[nodiscard]] const ExerciseResult* result() const {
    return checked_ ? &checked_->result : nullptr;
  }
  [[nodiscard]] bool checking() const { return checking_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }  // of the check itself

  [[nodiscard]] int hints_shown() const;
  [[nodiscard]] std::string hint(int index) const;
  void show_next_hint(WindowState& state);

  // Moves the window to what a row that does not hold is about.
  void show(WindowState& state, const ExerciseRow& row);

  // Once a frame: looks at the file, takes results.
  void update(WindowState& state);
  // When update() must come again though nothing happens, as Workbench::now_seconds().
  [[nodiscard]] std::optional<double> due_seconds() const;

 private:
  struct Checked {
    std::string text;
    ExerciseResult result;
    std::vector<std::string> hints;
    std::string problem;  // not empty: the check failed
  };
  // Shared with the jobs, of which one runs at a time.
  struct Shared {
    Shared(DeviceModel device, unsigned workers) : checker(std::move(device), workers) {}
    std::mutex mutex;
    ExerciseChecker checker;
    Inbox<Checked> results;
  };

  Status take_file();
  void follow_file(WindowState& state);
  void start_check(Workbench& workbench);
  void show_file(WindowState& state);
  void take_result(WindowState& state, Checked checked);

  ExerciseLibrary library_;
  ExerciseProgress progress_;
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<const Exercise> exercise_;
  std::filesystem::path file_;
  std::string on_disk_;          // as it was last read or written
  std::optional<double> typed_;  // when the text here was seen to differ
  double look_at_ = 0;
  bool checking_ = false;
  bool jumps_ = false;  // to the first failure, once it is known
  std::optional<Checked> checked_;
  std::string problem_;
  std::optional<ExerciseRow> wanted_;  // whose block is not traced yet
};

}  // namespace tilescope
