#include "session/lesson_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "core/file.h"
#include "core/paths.h"
#include "core/text.h"
#include "session/lesson_reader.h"
#include "session/lesson_translation.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostLessonBytes = 1U << 20;
constexpr std::string_view kEnding = ".md";

}  // namespace

Result<Lesson> read_lesson(const fs::path& file) {
  const std::optional<std::string> text = read_file(file, kMostLessonBytes);
  if (!text) {
    return Error{ErrorCode::kMachine,
                 "the lesson cannot be read",
                 "Give a Markdown file of at most 1 MiB",
                 {file.string()}};
  }
  const std::string language = lesson_language(file);
  if (language.empty()) return parse_lesson(valid_utf8(*text), file);
  auto texts = parse_lesson_texts(valid_utf8(*text), file);
  if (!texts) return texts;
  fs::path original = file;
  original.replace_filename(file.stem().stem().string() + std::string(kEnding));
  auto lesson = read_lesson(original);
  return lesson ? translated(*lesson, *texts) : lesson;
}

std::vector<fs::path> lesson_folders() {
  return {resource_directory() / "assets" / "lessons", data_directory() / "lessons"};
}

LessonLibrary load_lessons(const std::vector<fs::path>& folders) {
  LessonLibrary library;
  for (const fs::path& folder : folders) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == kEnding) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
      auto lesson = read_lesson(file);
      if (!lesson) {
        library.problems.push_back(lesson.error());
        continue;
      }
      auto& like = lesson->language.empty() ? library.lessons : library.translations;
      std::erase_if(like, [&](const Lesson& old) {
        return old.name == lesson->name && old.language == lesson->language;
      });
      like.push_back(*std::move(lesson));
    }
  }
  return library;
}

const Lesson* LessonLibrary::find(std::string_view name, std::string_view language) const {
  const auto fits = [&](const Lesson& each) {
    return each.name == name && each.language == language;
  };
  const auto there = std::ranges::find_if(translations, fits);
  if (there != translations.end()) return &*there;
  const auto found = std::ranges::find(lessons, name, &Lesson::name);
  return found != lessons.end() ? &*found : nullptr;
}

std::vector<std::string> LessonLibrary::languages() const {
  std::vector<std::string> all;
  for (const Lesson& each : translations) {
    if (std::ranges::find(all, each.language) == all.end()) all.push_back(each.language);
  }
  return all;
}

Error LessonLibrary::why_not(std::string_view name) const {
  for (const Error& problem : problems) {
    if (lesson_name(problem.place.file) == name) return problem;
  }
  std::vector<std::string> names;
  for (const Lesson& lesson : lessons) names.push_back(lesson.name);
  return {ErrorCode::kUsage,
          fmt::format("there is no lesson {}", name),
          did_you_mean(name, names, "'tilescope lesson list' shows all"),
          {}};
}

}  // namespace tilescope
