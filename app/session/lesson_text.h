#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "session/lesson_expression.h"

namespace tilescope {

// Words of one kind in a lesson's text.
struct LessonRun {
  enum class Kind : std::uint8_t {
    kPlain,
    kStrong,  // **...**
    kCode,    // `...`
    kTerm,    // [...]: of the glossary
    kValue,   // {{...}}: what the expression gives
  };
  Kind kind = Kind::kPlain;
  std::string text;             // kValue: the expression as it is written
  std::string term = {};        // kTerm: its name in the glossary, where the text is another word
  LessonExpression value = {};  // kValue only
  int line = 0;                 // of the file, from 1
};
using LessonParagraph = std::vector<LessonRun>;
// The name under which the glossary has a kTerm.
[[nodiscard]] inline const std::string& term_of(const LessonRun& run) {
  return run.term.empty() ? run.text : run.term;
}

// The runs of a paragraph that begins in this line, from 1, of the file. kUsage with file and line:
// a mark that does not end, an expression that is none.
[[nodiscard]] Result<LessonParagraph> read_paragraph(std::string_view text,
                                                     const std::filesystem::path& file, int line);
// Words as they are shown: a value is one; two characters that stand without blanks are one.
[[nodiscard]] std::size_t words_of(const std::vector<LessonParagraph>& paragraphs);

}  // namespace tilescope
