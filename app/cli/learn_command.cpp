#include "cli/learn_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/learn_grade.h"
#include "cli/learn_report.h"
#include "cli/options.h"
#include "cli/parser/command_line.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/quantity.h"
#include "core/text.h"
#include "kernel/launch/file_launch.h"
#include "session/exercise.h"
#include "session/exercise_author.h"
#include "session/exercise_check.h"
#include "session/exercise_progress.h"
#include "session/lesson.h"
#include "session/lesson_library.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr int kCapability = 90;  // the recorded GPU's: the same result on every machine
constexpr auto kLookEvery = std::chrono::milliseconds(100);
constexpr double kGradeSeconds = 60;

struct LearnArguments {
  std::string what;  // an exercise, or a file of one
  std::string as;    // the exercise that the file is of, whatever its name
  bool hint = false;
  bool json = false;
  std::string folder;
  std::vector<std::string> folders;
  double seconds = kGradeSeconds;
};

ExerciseLibrary load_all() { return load_exercises(exercise_folders()); }

int report_all(const std::vector<Error>& problems) {
  int status = 0;
  for (const Error& problem : problems) status = report(problem);
  return status;
}

Result<ExerciseChecker> make_checker() {
  const auto& resources = load_resources();
  if (!resources) return resources.error();
  return ExerciseChecker(*find_device(resources->devices, kCapability), processor_count());
}

Error no_exercise(const std::string& name, const ExerciseLibrary& library) {
  std::vector<std::string> names;
  for (const Exercise& exercise : library.exercises) names.push_back(exercise.name);
  return usage(fmt::format("there is no exercise {}", name),
               did_you_mean(name, names, "'tilescope learn' lists them"));
}

// An exercise with the file of the person that is to be checked.
struct Chosen {
  const Exercise* exercise = nullptr;
  fs::path file;
};

Result<Chosen> choose(const LearnArguments& arguments, const ExerciseLibrary& library,
                      const ExerciseProgress& progress) {
  const fs::path path = arguments.what;
  std::error_code ignored;
  const bool is_file = fs::exists(path, ignored) && !fs::is_directory(path, ignored);
  const std::string name = !arguments.as.empty() ? arguments.as : path.stem().string();
  for (const Exercise& exercise : library.exercises) {
    const bool is_it =
        exercise.name == name || (arguments.as.empty() && exercise.place.stem() == path.stem());
    if (!is_it) continue;
    if (is_file) return Chosen{&exercise, path};
    if (progress.folder.empty()) {
      return usage("you have no folder of exercises yet", "'tilescope learn start' makes one");
    }
    const fs::path own = progress.folder / exercise.place;
    if (is_there(own)) return Chosen{&exercise, own};
    return Error{ErrorCode::kUsage,
                 "the exercise's file is not there",
                 fmt::format("'tilescope learn start {}' writes it", progress.folder.string()),
                 {own.string(), 0, 0}};
  }
  return no_exercise(arguments.what, library);
}

std::string_view sign_of(ExerciseState state) {
  switch (state) {
    case ExerciseState::kPasses:
      return "✓";
    case ExerciseState::kFails:
      return "✗";
    default:
      return "·";
  }
}

void print_next(const ExerciseLibrary& library, const ExerciseProgress& progress) {
  const Exercise* next = progress.next(library);
  if (next == nullptr) {
    print_out("All exercises pass.\n");
    return;
  }
  print_out("Next: {} ({})\n", next->title, next->name);
  if (progress.folder.empty()) {
    print_out("Begin with: tilescope learn start\n");
    return;
  }
  print_out("Edit:  {}\nCheck: tilescope learn {}\nWatch: tilescope learn watch\n",
            (progress.folder / next->place).string(), next->name);
}

int list_exercises(bool as_json) {
  const ExerciseLibrary library = load_all();
  const ExerciseProgress progress = load_exercise_progress();
  nlohmann::json rows = nlohmann::json::array();
  std::string topic;
  for (const Exercise& exercise : library.exercises) {
    const ExerciseProgress::Entry entry = progress.of(exercise.name);
    if (as_json) {
      rows.push_back({{"name", exercise.name},
                      {"title", exercise.title},
                      {"topic", exercise.topic},
                      {"lesson", exercise.lesson},
                      {"state", name_of(entry.state)},
                      {"hints", exercise.hints.size()}});
      continue;
    }
    if (exercise.topic != topic) {
      topic = exercise.topic;
      print_out("{}\n", topic);
    }
    print_out("  {} {:<24} {}\n", sign_of(entry.state), exercise.name, exercise.title);
  }
  if (as_json) {
    print_out("{}\n", nlohmann::json{{"exercises", rows}}.dump(2));
  } else {
    print_out("\n");
    print_next(library, progress);
  }
  return report_all(library.problems);
}

int start(const std::string& where) {
  const ExerciseLibrary library = load_all();
  if (const int status = report_all(library.problems); status != 0) return status;
  std::error_code failed;
  const fs::path folder = fs::absolute(where.empty() ? "exercises" : where, failed);
  const auto written = write_exercises(library, folder);
  if (!written) return report(written.error());
  ExerciseProgress progress = load_exercise_progress();
  progress.folder = folder;
  if (Status saved = save_exercise_progress(progress); !saved) return report(saved.error());
  print_out("{}: {} written", folder.string(), counted(written->written, "exercise"));
  if (written->kept != 0) print_out(", {} left as they are", written->kept);
  print_out("\n\n");
  print_next(library, progress);
  return 0;
}

// Prints the commands that help after a failure.
void print_ways(const Exercise& exercise, const ExerciseProgress& progress) {
  const int hints = progress.of(exercise.name).hints;
  print_out("  See it:  tilescope --exercise {}\n", exercise.name);
  if (hints < static_cast<int>(exercise.hints.size())) {
    print_out("  Hint:    tilescope learn {} --hint   ({} of {})\n", exercise.name, hints + 1,
              exercise.hints.size());
  }
  if (!exercise.lesson.empty()) print_out("  Lesson:  tilescope --lesson {}\n", exercise.lesson);
}

// Checks a file, prints what was found and remembers it. nullopt: the check itself failed.
std::optional<ExerciseResult> check_file(const Chosen& chosen, ExerciseChecker& checker,
                                         ExerciseProgress* progress, int* status) {
  const auto file = read_kernel_file(chosen.file.string());
  if (!file) {
    *status = report(file.error());
    return std::nullopt;
  }
  auto result = checker.check(*chosen.exercise, *file, {});
  if (!result) {
    *status = report(result.error());
    return std::nullopt;
  }
  const bool passes = result->passes();
  *status = passes ? 0 : 2;
  print_result(*chosen.exercise, *result);
  progress->remember(chosen.exercise->name, passes);
  if (Status saved = save_exercise_progress(*progress); !saved) *status = report(saved.error());
  return *std::move(result);
}

int check_one(const LearnArguments& arguments) {
  end_at_signals();
  const ExerciseLibrary library = load_all();
  ExerciseProgress progress = load_exercise_progress();
  const auto chosen = choose(arguments, library, progress);
  if (!chosen) return report(chosen.error());
  auto checker = make_checker();
  if (!checker) return report(checker.error());
  const Exercise& exercise = *chosen->exercise;
  if (arguments.json) {  // for programs: progress stays as it is
    const auto file = read_kernel_file(chosen->file.string());
    if (!file) return report(file.error());
    const auto result = checker->check(exercise, *file, {});
    if (!result) return report(result.error());
    print_out("{}\n", result_json(exercise, *result)
                          .dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return result->passes() ? 0 : 2;
  }
  int status = 0;
  const auto result = check_file(*chosen, *checker, &progress, &status);
  if (!result) return status;
  if (result->passes()) {
    print_next(library, progress);
    return status;
  }
  if (!arguments.hint) {
    print_ways(exercise, progress);
    return status;
  }
  const int shown =
      std::min(progress.of(exercise.name).hints + 1, static_cast<int>(exercise.hints.size()));
  for (int hint = 0; hint < shown; ++hint) {
    print_paragraph(fmt::format("  Hint {}: ", hint + 1),
                    checker->hint_text(exercise, static_cast<std::size_t>(hint), &*result, {}));
  }
  progress.entries[exercise.name].hints = shown;
  if (Status saved = save_exercise_progress(progress); !saved) return report(saved.error());
  return status;
}

// Checks the chosen exercise, and again each time its file changes; one that passes is followed by
// the next. Ends with the last one, or by a signal.
int watch(const LearnArguments& arguments) {
  end_at_signals();
  const ExerciseLibrary library = load_all();
  ExerciseProgress progress = load_exercise_progress();
  LearnArguments next = arguments;
  auto checker = make_checker();
  if (!checker) return report(checker.error());
  const bool clears = ::isatty(STDOUT_FILENO) != 0;
  for (;;) {
    if (next.what.empty()) {
      const Exercise* exercise = progress.next(library);
      if (exercise == nullptr) {
        print_next(library, progress);
        return 0;
      }
      next.what = exercise->name;
    }
    const auto chosen = choose(next, library, progress);
    if (!chosen) return report(chosen.error());
    std::optional<std::string> checked;
    for (bool passed = false; !passed; std::this_thread::sleep_for(kLookEvery)) {
      // An editor may write a new file in place of the old one: for a moment there is none.
      auto text = read_file(chosen->file, kMostSourceBytes);
      if (!text || text == checked) continue;
      checked = std::move(text);
      if (clears) print_out("\x1b[2J\x1b[H");
      int status = 0;
      const auto result = check_file(*chosen, *checker, &progress, &status);
      passed = result && result->passes();
      if (!passed && result) print_ways(*chosen->exercise, progress);
      if (!passed) print_out("\nWaiting for a change of {}\n", chosen->file.string());
      std::fflush(stdout);
    }
    next.what.clear();
  }
}

int check_exercises(const std::vector<std::string>& given) {
  end_at_signals();
  ExerciseLibrary library;
  if (given.empty()) library = load_all();
  for (const std::string& each : given) {
    const fs::path folder = each;
    if (is_there(folder / "exercise.json")) {
      std::error_code ignored;
      auto exercise = read_exercise(fs::absolute(folder, ignored).lexically_normal());
      if (exercise) {
        library.exercises.push_back(*std::move(exercise));
      } else {
        library.problems.push_back(exercise.error());
      }
      continue;
    }
    ExerciseLibrary more = load_exercises({folder});
    if (more.exercises.empty() && more.problems.empty()) {
      more.problems.push_back({ErrorCode::kUsage,
                               "no exercise is below this folder",
                               "Give a folder with exercise.json, or one with NN_topic/NN_name",
                               {each, 0, 0}});
    }
    std::ranges::move(more.exercises, std::back_inserter(library.exercises));
    std::ranges::move(more.problems, std::back_inserter(library.problems));
  }
  int status = report_all(library.problems);
  auto checker = make_checker();
  if (!checker) return report(checker.error());
  const LessonLibrary lessons = load_lessons(lesson_folders());
  for (const Exercise& exercise : library.exercises) {
    const std::vector<Error> problems = check_exercise(exercise, lessons, *checker, {});
    for (const Error& problem : problems) status = report(problem);
    if (problems.empty()) {
      print_out("{}: the solution passes, the start does not, {}\n", exercise.name,
                counted(exercise.hints.size(), "hint"));
    }
  }
  return status;
}

int grade(const LearnArguments& arguments) {
  end_at_signals();
  const ExerciseLibrary library = load_all();
  if (const int status = report_all(library.problems); status != 0) return status;
  return grade_class(library, arguments.folder, arguments.seconds, arguments.json);
}

}  // namespace

void add_learn_command(CommandOptions app, CommandContext& context) {
  auto arguments = std::make_shared<LearnArguments>();
  CommandOptions command = app.add_subcommand(
      "learn", "exercises: list them, check one, watch it while you edit; needs no GPU");
  command.require_subcommand(0, 1);
  command.add_option("exercise", arguments->what,
                     "an exercise, or your file of one, to check; exit status 2 if it fails");
  command.add_flag("--hint", arguments->hint, "show the next hint");
  command.add_flag("--json", arguments->json, "output JSON, and leave your progress as it is");
  command.add_option("--as", arguments->as, "the exercise that the file is of");

  CommandOptions begin = command.add_subcommand(
      "start", "write the exercises into a folder to work in; files that are there stay");
  begin.add_option("folder", arguments->folder, "default: exercises");
  begin.callback([arguments, &context] { context.status = start(arguments->folder); });

  CommandOptions watching = command.add_subcommand(
      "watch", "check an exercise each time its file is saved; then comes the next one");
  watching.add_option("exercise", arguments->what, "default: the next one");
  watching.callback([arguments, &context] { context.status = watch(*arguments); });

  CommandOptions check = command.add_subcommand(
      "check", "for authors: the solution passes, the start fails, the hints have values");
  check.add_option("folder", arguments->folders,
                   "an exercise, or a folder of NN_topic/NN_name; default: all");
  check.callback([arguments, &context] { context.status = check_exercises(arguments->folders); });

  CommandOptions grading = command.add_subcommand(
      "grade", "for a class: check the files of all students, each within a limit");
  grading.add_option("folder", arguments->folder, "with a folder for each student").required();
  grading.add_flag("--json", arguments->json, "output JSON");
  grading.add_option("--limit", arguments->seconds, "seconds after which a file is given up")
      .between(1.0, 3600.0)
      .capture_default_str();
  grading.callback([arguments, &context] { context.status = grade(*arguments); });

  command.callback([command, arguments, &context] {
    if (command.has_named_subcommand()) return;
    context.status =
        arguments->what.empty() ? list_exercises(arguments->json) : check_one(*arguments);
  });
}

}  // namespace tilescope
