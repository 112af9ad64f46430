#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "session/exercise.h"
#include "session/exercise_check.h"

namespace tilescope {

// Prints each check on a line of its own and, below one that does not hold, the reason.
void print_result(const Exercise& exercise, const ExerciseResult& result);

// {"exercise", "passes", "seconds", "checks": [{"says", "holds", "wanted", "found", "why", "line",
// "view"}]}
[[nodiscard]] nlohmann::json result_json(const Exercise& exercise, const ExerciseResult& result);

}  // namespace tilescope
