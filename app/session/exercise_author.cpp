#include "session/exercise_author.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/file.h"
#include "core/json_document.h"
#include "core/text.h"
#include "kernel/launch/file_launch.h"
#include "session/lesson_library.h"

namespace tilescope {
namespace {

constexpr std::size_t kLeastHints = 2;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 20;

class Author {
 public:
  Author(const Exercise& exercise, const LessonLibrary& lessons, ExerciseChecker& checker,
         const std::stop_token& stop)
      : exercise_(exercise),
        lessons_(lessons),
        checker_(checker),
        stop_(stop),
        json_(read_file(exercise.file("exercise.json"), kMostBytes).value_or("")) {}

  std::vector<Error> check() && {
    check_words();
    const auto solution = result_of("solution.cu");
    if (solution) {
      for (const ExerciseRow& row : solution->rows) {
        if (row.holds) continue;
        wrong("solution.cu", static_cast<int>(row.line),
              fmt::format("the solution fails '{}': {}. {}", row.says, row.found, row.why),
              "Change the solution or the claim");
      }
    }
    check_start();
    for (std::size_t i = 0; solution && i < exercise_.hints.size(); ++i) check_hint(i);
    return std::move(problems_);
  }

 private:
  void wrong(std::string_view file, int line, std::string message, std::string remedy) {
    problems_.push_back({ErrorCode::kUsage,
                         std::move(message),
                         std::move(remedy),
                         {exercise_.file(file).string(), line, 0}});
  }
  [[nodiscard]] int line_of(const std::vector<std::string>& path) const {
    return line_in_json(json_, path);
  }

  // nullopt: it was said why.
  std::optional<ExerciseResult> result_of(std::string_view name) {
    const auto file = read_kernel_file(exercise_.file(name).string());
    if (!file) {
      problems_.push_back(file.error());
      return std::nullopt;
    }
    auto result = checker_.check(exercise_, *file, stop_);
    if (result) return *std::move(result);
    problems_.push_back(result.error());
    return std::nullopt;
  }

  void check_words() {
    if (!exercise_.lesson.empty() && lessons_.find(exercise_.lesson) == nullptr) {
      std::vector<std::string> names;
      for (const Lesson& lesson : lessons_.lessons) names.push_back(lesson.name);
      wrong("exercise.json", line_of({"lesson"}),
            fmt::format("there is no lesson {}", exercise_.lesson),
            did_you_mean(exercise_.lesson, names));
    }
    const int line = line_of({"hints"});
    if (exercise_.hints.size() < kLeastHints) {
      wrong("exercise.json", line, fmt::format("it has fewer than {} hints", kLeastHints),
            "The first says where to look, the next what to change");
    }
    const auto computed = [](const ExerciseHint& hint) { return !hint.values.empty(); };
    if (std::ranges::none_of(exercise_.hints, computed)) {
      wrong("exercise.json", line, "no hint is computed",
            "Put a value into one: {{load_lanes}} writes the addresses of the lanes");
    }
  }

  void check_start() {
    const auto start = result_of("start.cu");
    if (!start) return;
    const bool compiles = start->rows.front().says != "It compiles";
    if (compiles != exercise_.start_compiles) {
      wrong("start.cu", static_cast<int>(start->rows.front().line),
            compiles ? "the start compiles" : "the start does not compile: " + start->rows[0].why,
            compiles ? "Leave out start_compiles" : "Mend it, or write \"start_compiles\": false");
    }
    if (start->passes()) {
      wrong("start.cu", 0, "the start passes", "It must lack what the exercise is about");
    }
    start_ = std::move(start);
  }

  void check_hint(std::size_t index) {
    const std::string text =
        checker_.hint_text(exercise_, index, start_ ? &*start_ : nullptr, stop_);
    if (exercise_.hints[index].values.empty() || text.find("–") == std::string::npos) return;
    wrong("exercise.json", line_of({"hints", std::to_string(index)}),
          fmt::format("a value of the hint is not known for the start: {}", text),
          "Ask for a quantity that the start has");
  }

  const Exercise& exercise_;
  const LessonLibrary& lessons_;
  ExerciseChecker& checker_;
  const std::stop_token& stop_;
  std::string json_;
  std::optional<ExerciseResult> start_;
  std::vector<Error> problems_;
};

}  // namespace

std::vector<Error> check_exercise(const Exercise& exercise, const LessonLibrary& lessons,
                                  ExerciseChecker& checker, const std::stop_token& stop) {
  return Author(exercise, lessons, checker, stop).check();
}

}  // namespace tilescope
