#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "session/lesson.h"

namespace tilescope {

// A lesson or a translation, with the lesson beside it (session/lesson_translation.h). kUsage with
// file and line: what is written wrong; kMachine: the file cannot be read.
[[nodiscard]] Result<Lesson> read_lesson(const std::filesystem::path& file);

// The lessons of the program and, in data_directory()/lessons, the user's; by file name. A name
// that comes twice is the user's. What cannot be read is left out and named in `problems`.
struct LessonLibrary {
  std::vector<Lesson> lessons;
  std::vector<Lesson> translations;  // of some of them
  std::vector<Error> problems;

  // In this language where there is a translation, else as it was written. nullptr: none.
  [[nodiscard]] const Lesson* find(std::string_view name, std::string_view language = {}) const;
  // That there are translations into, each once.
  [[nodiscard]] std::vector<std::string> languages() const;
  // Why find() knows no lesson of this name: what is wrong in its file, else which ones there are.
  [[nodiscard]] Error why_not(std::string_view name) const;
};
[[nodiscard]] LessonLibrary load_lessons(const std::vector<std::filesystem::path>& folders);
[[nodiscard]] std::vector<std::filesystem::path> lesson_folders();

}  // namespace tilescope
