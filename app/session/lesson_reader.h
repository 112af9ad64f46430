#pragma once

#include <filesystem>
#include <string_view>

#include "core/result.h"
#include "session/lesson.h"

namespace tilescope {

// A lesson's Markdown (docs/writing_a_lesson.md). Expressions are parsed, nothing is evaluated:
// session/lesson_check.h does. kUsage with file and line: what is written wrong.
[[nodiscard]] Result<Lesson> parse_lesson(std::string_view text, const std::filesystem::path& file);
// A translation's file: a head with title and understand, and in each step texts alone. kUsage as
// above. It is no whole lesson: it has neither launches nor scenes.
[[nodiscard]] Result<Lesson> parse_lesson_texts(std::string_view text,
                                                const std::filesystem::path& file);

}  // namespace tilescope
