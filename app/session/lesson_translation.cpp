#include "session/lesson_translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "session/lesson_text.h"

namespace tilescope {
namespace {

using Paragraphs = std::vector<LessonParagraph>;

std::vector<std::string> expressions_in(const Paragraphs& text) {
  std::vector<std::string> all;
  for (const LessonParagraph& paragraph : text) {
    for (const LessonRun& run : paragraph) {
      if (run.kind == LessonRun::Kind::kValue) all.push_back(run.text);
    }
  }
  std::ranges::sort(all);
  return all;
}

// What the first has and the second has not, of each as often as it stands there; empty: nothing.
std::string first_missing(const Paragraphs& has, const Paragraphs& lacks) {
  const std::vector<std::string> a = expressions_in(has);
  const std::vector<std::string> b = expressions_in(lacks);
  std::vector<std::string> missing;
  std::ranges::set_difference(a, b, std::back_inserter(missing));
  return missing.empty() ? std::string() : missing.front();
}

class Translator {
 public:
  Translator(const Lesson& lesson, const Lesson& texts) : lesson_(lesson), texts_(texts) {}

  Result<Lesson> translate() && {
    if (texts_.steps.size() != lesson_.steps.size()) {
      return wrong(
          1,
          fmt::format("it has {} steps, the lesson {}", texts_.steps.size(), lesson_.steps.size()),
          "Translate each step, in the lesson's order");
    }
    Lesson both = lesson_;
    both.file = texts_.file;
    both.language = texts_.language;
    both.title = texts_.title;
    both.understand = texts_.understand;
    for (std::size_t i = 0; i < both.steps.size(); ++i) {
      if (Status same = take_step(texts_.steps[i], both.steps[i]); !same)
        return std::move(same).error();
    }
    return both;
  }

 private:
  [[nodiscard]] Error wrong(int line, std::string message, std::string remedy) const {
    return {ErrorCode::kUsage, std::move(message), std::move(remedy), {texts_.file.string(), line}};
  }

  Status same_expressions(const LessonStep& step, const Paragraphs& original,
                          const Paragraphs& text, const char* part) const {
    if (const std::string lost = first_missing(original, text); !lost.empty()) {
      return wrong(step.line,
                   fmt::format("the {} of '{}' lacks {{{{{}}}}}", part, step.title, lost),
                   "Write the lesson's own expressions, each as often as it stands there");
    }
    if (const std::string more = first_missing(text, original); !more.empty()) {
      return wrong(
          step.line,
          fmt::format("the {} of '{}' has {{{{{}}}}}, the lesson has not", part, step.title, more),
          "Write the lesson's own expressions, each as often as it stands there");
    }
    return ok_status();
  }

  Status take_step(const LessonStep& text, LessonStep& step) const {
    if (Status same = same_expressions(text, step.text, text.text, "text"); !same) return same;
    if (Status same = same_expressions(text, step.answer, text.answer, "answer"); !same)
      return same;
    if (Status same = take_question(text, step); !same) return same;
    step.title = text.title;
    step.text = text.text;
    step.answer = text.answer;
    step.notes = text.notes;
    step.line = text.line;
    return ok_status();
  }

  Status take_question(const LessonStep& text, LessonStep& step) const {
    if (!step.question && !text.question) return ok_status();
    const bool same_kind = step.question && text.question &&
                           step.question->is_trial == text.question->is_trial &&
                           step.question->choices.size() == text.question->choices.size();
    if (!same_kind) {
      return wrong(text.line, fmt::format("the question of '{}' is not the lesson's", text.title),
                   "Write 'ask:' or 'try:' as there, with as many choices");
    }
    LessonQuestion& question = *step.question;
    if (Status same = same_expressions(text, {question.words}, {text.question->words}, "question");
        !same) {
      return same;
    }
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      const LessonQuestion::Choice& other = text.question->choices[i];
      if (question.choices[i].right != other.right) {
        return wrong(text.question->line,
                     fmt::format("another choice of '{}' is right than in the lesson", text.title),
                     "Keep the order of the choices");
      }
      if (Status same =
              same_expressions(text, {question.choices[i].words}, {other.words}, "choice");
          !same) {
        return same;
      }
      question.choices[i].words = other.words;
    }
    question.words = text.question->words;
    question.line = text.question->line;
    return ok_status();
  }

  const Lesson& lesson_;
  const Lesson& texts_;
};

}  // namespace

Result<Lesson> translated(const Lesson& lesson, const Lesson& texts) {
  return Translator(lesson, texts).translate();
}

}  // namespace tilescope
