#pragma once

#include <filesystem>

#include "session/exercise.h"

namespace tilescope {

// Checks the files of a class: `folder` has a folder for each student, and below it, at any depth,
// files named as the exercises are. Each is checked by a process of its own that ends after
// `seconds`, whatever the file does. Returns the exit status: 0 where all could be graded.
int grade_class(const ExerciseLibrary& library, const std::filesystem::path& folder, double seconds,
                bool as_json);

}  // namespace tilescope
