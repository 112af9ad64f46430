#pragma once

#include "core/result.h"
#include "session/lesson.h"

namespace tilescope {

// The lesson with the texts of its translation: title, headings, paragraphs, questions, choices,
// notes. kUsage with the translation's file and line: it has not the same steps, questions, right
// choices, or not the same expressions in the same part of a step. Claims and scenes are the
// lesson's, so that what a translation says is checked with it.
[[nodiscard]] Result<Lesson> translated(const Lesson& lesson, const Lesson& texts);

}  // namespace tilescope
