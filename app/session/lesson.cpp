#include "session/lesson.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope {

namespace fs = std::filesystem;

std::string lesson_language(const fs::path& file) {
  const std::string end = file.stem().extension().string();
  const bool is_code =
      (end.size() == 3 || end.size() == 4) &&
      std::all_of(end.begin() + 1, end.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return is_code ? end.substr(1) : std::string();
}

std::string lesson_name(const fs::path& file) {
  std::string name = (lesson_language(file).empty() ? file.stem() : file.stem().stem()).string();
  const std::size_t number = name.find_first_not_of("0123456789");
  if (number != 0 && number != std::string::npos && name[number] == '_') name.erase(0, number + 1);
  return name;
}

const LessonLaunch* Lesson::launch(std::string_view launch_name) const {
  const auto found = std::ranges::find(launches, launch_name, &LessonLaunch::name);
  return found != launches.end() ? &*found : nullptr;
}

const LessonNumber* Lesson::number(std::string_view number_name) const {
  const auto found = std::ranges::find(numbers, number_name, &LessonNumber::name);
  return found != numbers.end() ? &*found : nullptr;
}

SearchedText searched_text(const Lesson& lesson) {
  std::string more = lesson.understand;
  for (const LessonStep& step : lesson.steps) {
    more += " " + step.title;
    for (const LessonParagraph& paragraph : step.text) {
      for (const LessonRun& run : paragraph) {
        if (run.kind == LessonRun::Kind::kTerm) more += " " + run.text;
      }
    }
  }
  return {lesson.title, {lesson.name}, more};
}

std::size_t words_of(const LessonStep& step) {
  std::size_t words = words_of(step.text) + words_of(step.answer);
  if (!step.question) return words;
  words += words_of({step.question->words});
  for (const LessonQuestion::Choice& choice : step.question->choices) {
    words += words_of({choice.words});
  }
  return words;
}

const LessonScene* scene_at(const Lesson& lesson, std::size_t step, bool answered) {
  for (std::size_t i = step + 1; i-- > 0;) {
    const LessonStep& at = lesson.steps[i];
    const bool past_answer = i < step || answered;
    if (past_answer && at.answer_scene) return &*at.answer_scene;
    if (at.scene) return &*at.scene;
  }
  return nullptr;
}

std::string number_words(const LessonNumber& number, double value) {
  if (number.whole) return LessonExpression().written({.number = value});
  return fmt::format("{:.3g}", value);
}

LessonPlace place_at(const Lesson& lesson, std::size_t step, bool answered) {
  LessonPlace place{scene_at(lesson, step, answered)->launch, {}};
  for (const LessonNumber& number : lesson.numbers) place.numbers[number.name] = number.value;
  const auto take = [&](const std::optional<LessonScene>& scene) {
    if (!scene) return;
    for (const auto& [name, value] : scene->numbers) place.numbers[name] = value;
  };
  for (std::size_t i = 0; i <= step; ++i) {
    take(lesson.steps[i].scene);
    if (i < step || answered) take(lesson.steps[i].answer_scene);
  }
  return place;
}

}  // namespace tilescope
