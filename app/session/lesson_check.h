#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "session/glossary.h"
#include "session/known_measurements.h"
#include "session/lesson.h"
#include "session/lesson_figures.h"
#include "session/lesson_library.h"
#include "session/lesson_text.h"

namespace tilescope {

// What a lesson is checked against.
struct LessonCheck {
  LessonFigures& figures;  // whose jobs run at once
  const KnownMeasurements& known;
  const Glossary& glossary;
  const LessonLibrary& library;  // that `first:` names
};

// All that is wrong with a lesson, each with its file, line and remedy: an expression that has no
// value, a claim that does not hold, a scene that cannot be shown or whose line its warp does not
// execute, a term that the glossary lacks, a lesson that is not there. Empty: it is right. Seconds.
[[nodiscard]] std::vector<Error> check_lesson(const Lesson& lesson, const LessonCheck& against);

// A paragraph as it is read, each value with its mark behind it: "32 ◆ wavefronts". A value that
// cannot be had is written as "–".
[[nodiscard]] std::string text_of(const Lesson& lesson, const LessonParagraph& paragraph,
                                  const LessonPlace& place, LessonFigures& figures,
                                  const KnownMeasurements& known);

}  // namespace tilescope
