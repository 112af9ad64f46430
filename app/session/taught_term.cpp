#include "session/taught_term.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "session/lesson_library.h"
#include "session/lesson_text.h"

namespace tilescope {
namespace {

bool has_term(const std::vector<LessonParagraph>& text, const GlossaryEntry& entry,
              const Glossary& glossary) {
  return std::ranges::any_of(text, [&](const LessonParagraph& paragraph) {
    return std::ranges::any_of(paragraph, [&](const LessonRun& run) {
      return run.kind == LessonRun::Kind::kTerm && glossary.find(term_of(run)) == &entry;
    });
  });
}

std::optional<TaughtTerm> taught_in(const Lesson& lesson, const GlossaryEntry& entry,
                                    const Glossary& glossary) {
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    if (has_term(step.text, entry, glossary) || has_term(step.answer, entry, glossary)) {
      return TaughtTerm{&lesson, i};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<TaughtTerm> taught_term(const GlossaryEntry& entry, const Glossary& glossary,
                                      const LessonLibrary& library) {
  if (!entry.lesson.empty()) {
    const Lesson* named = library.find(entry.lesson);
    return named != nullptr ? taught_in(*named, entry, glossary) : std::nullopt;
  }
  for (const Lesson& lesson : library.lessons) {
    if (auto taught = taught_in(lesson, entry, glossary)) return taught;
  }
  return std::nullopt;
}

std::string words_of(const TaughtTerm& taught) {
  return fmt::format("{}, step {}", taught.lesson->title, taught.step + 1);
}

}  // namespace tilescope
