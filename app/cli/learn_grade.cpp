#include "cli/learn_grade.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "core/child_process.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/quantity.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr std::size_t kMostFiles = 10'000;  // of a student

// One file of a student, and what became of it.
struct Submission {
  const Exercise* exercise = nullptr;
  fs::path file;
  std::string state = {};    // "passes", "fails", "stopped", "broken"
  std::string message = {};  // why it is not graded, or the first thing that fails
  nlohmann::json result = {};
};

struct Student {
  std::string name;
  std::vector<Submission> submissions;

  [[nodiscard]] std::size_t passed() const {
    return static_cast<std::size_t>(std::ranges::count(submissions, "passes", &Submission::state));
  }
};

// The files of a student that are named as an exercise; of two the one that comes first by name.
std::vector<Submission> submissions_in(const ExerciseLibrary& library, const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  fs::recursive_directory_iterator entries(folder, fs::directory_options::skip_permission_denied,
                                           ignored);
  for (; entries != fs::recursive_directory_iterator() && files.size() < kMostFiles;
       entries.increment(ignored)) {
    if (entries->path().extension() == ".cu" && entries->is_regular_file(ignored)) {
      files.push_back(entries->path());
    }
  }
  std::ranges::sort(files);
  std::vector<Submission> found;
  for (const Exercise& exercise : library.exercises) {
    const fs::path name = exercise.place.filename();
    const auto file = std::ranges::find(files, name, &fs::path::filename);
    if (file != files.end()) found.push_back({&exercise, *file, "", ""});
  }
  return found;
}

// The output of a child process; nullopt: it did not end in time and was stopped.
std::optional<std::string> output_of(ChildProcess& child, Clock::time_point until) {
  std::vector<std::byte> bytes;
  for (bool open = true; open && bytes.size() < kMostOutput;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return std::nullopt;
    std::array<pollfd, 2> wait{{{child.output(), POLLIN, 0}, {child.error_output(), POLLIN, 0}}};
    ::poll(wait.data(), child.error_output() < 0 ? 1 : 2, static_cast<int>(left));
    if (wait[0].revents != 0) open = child.read_output(&bytes);
    if (child.error_output() >= 0 && wait[1].revents != 0) child.read_errors();
  }
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void take_result(const nlohmann::json& result, Submission* submission) {
  submission->result = result;
  submission->state = result.value("passes", false) ? "passes" : "fails";
  for (const nlohmann::json& row : result.value("checks", nlohmann::json::array())) {
    if (row.value("holds", true)) continue;
    submission->message = row.value("why", "");
    if (!submission->message.empty()) break;
    submission->message = fmt::format("{}: {}", row.value("says", ""), row.value("found", ""));
    break;
  }
}

void grade(Submission* submission, double seconds) {
  auto child =
      ChildProcess::start({program_file().string(), "learn", "--json",
                           "--as=" + submission->exercise->name, "--", submission->file.string()});
  if (!child) {
    submission->state = "broken";
    submission->message = to_string(child.error());
    return;
  }
  child->close_input();
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const auto output = output_of(*child, Clock::now() + limit);
  if (!output) {
    child->kill();
    submission->state = "stopped";
    submission->message = fmt::format("it was stopped after {:g} s", seconds);
    return;
  }
  const ChildEnd end = child->end(std::chrono::milliseconds(500));
  const nlohmann::json result = nlohmann::json::parse(*output, nullptr, false);
  if (result.is_object()) return take_result(result, submission);
  submission->state = "broken";
  const std::string said = last_line_of(child->errors());
  submission->message = said.empty() ? "the check " + end.how : said;
}

nlohmann::json json_of(const Student& student) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Submission& each : student.submissions) {
    nlohmann::json row = {{"exercise", each.exercise->name},
                          {"file", each.file.string()},
                          {"state", each.state},
                          {"message", each.message}};
    if (each.result.is_object()) row["checks"] = each.result.value("checks", nlohmann::json());
    rows.push_back(std::move(row));
  }
  return {{"student", student.name}, {"passed", student.passed()}, {"exercises", std::move(rows)}};
}

void print_student(const Student& student, std::size_t exercises) {
  print_out("{}: {} of {}\n", student.name, student.passed(), counted(exercises, "exercise"));
  for (const Submission& each : student.submissions) {
    print_out("  {} {:<24} {:<8} {}\n", each.state == "passes" ? "✓" : "✗", each.exercise->name,
              each.state, each.message);
  }
}

}  // namespace

int grade_class(const ExerciseLibrary& library, const fs::path& folder, double seconds,
                bool as_json) {
  std::error_code missing;
  std::vector<Student> students;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
    std::error_code ignored;
    if (!entry.is_directory(ignored)) continue;
    students.push_back({entry.path().filename().string(), submissions_in(library, entry.path())});
  }
  if (missing) {
    return report({ErrorCode::kUsage,
                   "it is no folder",
                   "Give the folder that has a folder for each student",
                   {folder.string(), 0, 0}});
  }
  std::ranges::sort(students, {}, &Student::name);
  std::vector<Submission*> all;
  for (Student& student : students) {
    for (Submission& each : student.submissions) all.push_back(&each);
  }
  for_each_parallel(all.size(), processor_count(), [&](std::size_t i) { grade(all[i], seconds); });
  nlohmann::json rows = nlohmann::json::array();
  for (const Student& student : students) {
    if (as_json) {
      rows.push_back(json_of(student));
    } else {
      print_student(student, library.exercises.size());
    }
  }
  if (as_json) {
    print_out("{}\n",
              nlohmann::json{{"exercises", library.exercises.size()}, {"students", rows}}.dump(
                  2, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  return 0;
}

}  // namespace tilescope
