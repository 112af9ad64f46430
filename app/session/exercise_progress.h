#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "session/exercise.h"

namespace tilescope {

enum class ExerciseState : std::uint8_t { kNotBegun, kFails, kPasses };
[[nodiscard]] std::string_view name_of(ExerciseState state);  // "not begun", "fails", "passes"

// How far a person came, and where their files are. Kept in data_directory()/exercises.json alone.
struct ExerciseProgress {
  struct Entry {
    ExerciseState state = ExerciseState::kNotBegun;
    int hints = 0;  // that were shown
  };
  std::filesystem::path folder;          // to work in; empty: none yet
  std::map<std::string, Entry> entries;  // by exercise

  [[nodiscard]] Entry of(const std::string& exercise) const;
  void remember(const std::string& exercise, bool passes);
  // The first one that does not pass; nullptr: all pass.
  [[nodiscard]] const Exercise* next(const ExerciseLibrary& library) const;
};
// What cannot be read counts as nothing.
[[nodiscard]] ExerciseProgress load_exercise_progress();
Status save_exercise_progress(const ExerciseProgress& progress);

// Writes the file of each exercise that is not there yet; what is there stays as it is.
struct WrittenExercises {
  std::size_t written = 0;
  std::size_t kept = 0;
};
[[nodiscard]] Result<WrittenExercises> write_exercises(const ExerciseLibrary& library,
                                                       const std::filesystem::path& folder);

}  // namespace tilescope
