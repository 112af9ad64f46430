#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "session/glossary.h"
#include "session/lesson.h"
#include "session/lesson_library.h"

namespace tilescope {

// Where a lesson teaches a term of the glossary.
struct TaughtTerm {
  const Lesson* lesson = nullptr;  // of the library
  std::size_t step = 0;            // the first whose text has the term
};

// Of the lesson that the entry names, else of the first one whose text has the term. nullopt: no
// lesson has it, or the one that is named is not there or has it nowhere.
[[nodiscard]] std::optional<TaughtTerm> taught_term(const GlossaryEntry& entry,
                                                    const Glossary& glossary,
                                                    const LessonLibrary& library);
// "Banks, padding and XOR, step 2"
[[nodiscard]] std::string words_of(const TaughtTerm& taught);

}  // namespace tilescope
