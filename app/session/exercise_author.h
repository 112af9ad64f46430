#pragma once

#include <stop_token>
#include <vector>

#include "core/result.h"
#include "session/exercise.h"
#include "session/exercise_check.h"
#include "session/lesson_library.h"

namespace tilescope {

// All that is wrong with an exercise, for its author, each with file, line and remedy: the solution
// does not pass, the start passes or does not compile, there are fewer than two hints, none has a
// value or one has none, no such lesson, a file is missing. Empty: it is right. A second or two.
[[nodiscard]] std::vector<Error> check_exercise(const Exercise& exercise,
                                                const LessonLibrary& lessons,
                                                ExerciseChecker& checker,
                                                const std::stop_token& stop);

}  // namespace tilescope
