#include "session/lesson_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>
#include <utility>

#include "core/text.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// Cuts the paragraph's text into runs.
class LessonTextReader {
 public:
  LessonTextReader(std::string_view text, const fs::path& file, int line)
      : text_(text), file_(file), line_(line) {}

  Result<LessonParagraph> read() && {
    while (at_ < text_.size()) {
      Status read = ok_status();
      if (text_.substr(at_).starts_with("{{")) {
        read = marked("{{", "}}", LessonRun::Kind::kValue);
      } else if (text_.substr(at_).starts_with("**")) {
        read = marked("**", "**", LessonRun::Kind::kStrong);
      } else if (text_[at_] == '`') {
        read = marked("`", "`", LessonRun::Kind::kCode);
      } else if (text_[at_] == '[') {
        read = marked("[", "]", LessonRun::Kind::kTerm);
      } else {
        plain_ += text_[at_];
        if (text_[at_] == '\n') {
          ++line_;
          plain_.back() = ' ';
        }
        ++at_;
      }
      if (!read) return std::move(read).error();
    }
    end_plain();
    return std::move(runs_);
  }

 private:
  [[nodiscard]] Error wrong(std::string message, std::string remedy) const {
    return {ErrorCode::kUsage, std::move(message), std::move(remedy), {file_.string(), line_}};
  }
  void end_plain() {
    if (!plain_.empty()) {
      runs_.push_back({.kind = LessonRun::Kind::kPlain, .text = plain_, .line = line_});
    }
    plain_.clear();
  }
  // "[block]s" is shown as one word.
  void take_ending(LessonRun* run) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    if (at_ == begin) return;
    if (run->term.empty()) run->term = run->text;
    run->text += text_.substr(begin, at_ - begin);
  }
  Status marked(std::string_view open, std::string_view close, LessonRun::Kind kind) {
    const std::size_t begin = at_ + open.size();
    const std::size_t end = text_.find(close, begin);
    if (end == std::string_view::npos || end == begin) {
      return wrong(fmt::format("'{}' has no '{}'", open, close),
                   fmt::format("Write {}text{}", open, close));
    }
    end_plain();
    std::string inside(trimmed(text_.substr(begin, end - begin)));
    std::ranges::replace(inside, '\n', ' ');
    const bool nested =
        inside.find_first_of("[`*") != std::string::npos || inside.find("{{") != std::string::npos;
    if (kind == LessonRun::Kind::kStrong && nested) {
      return wrong(fmt::format("'**{}**' has marks inside", inside),
                   "A value is strong by itself; write a term or code without the stars");
    }
    LessonRun run{.kind = kind, .text = inside, .line = line_};
    if (const std::size_t bar = inside.find('|');
        kind == LessonRun::Kind::kTerm && bar != std::string::npos) {
      run.text = trimmed(std::string_view(inside).substr(0, bar));
      run.term = trimmed(std::string_view(inside).substr(bar + 1));
    }
    if (kind == LessonRun::Kind::kValue) {
      auto value = LessonExpression::parse(inside);
      if (!value || value->compares()) {
        const std::string why = value ? "a value is no comparison" : value.error().message;
        return wrong(fmt::format("{{{{{}}}}}: {}", inside, why),
                     "See docs/writing_a_lesson.md for what an expression may hold");
      }
      run.value = *std::move(value);
    }
    line_ += static_cast<int>(std::ranges::count(text_.substr(at_, end - at_), '\n'));
    at_ = end + close.size();
    if (kind == LessonRun::Kind::kTerm) take_ending(&run);
    runs_.push_back(std::move(run));
    return ok_status();
  }

  std::string_view text_;
  const fs::path& file_;
  int line_;
  std::size_t at_ = 0;
  std::string plain_;
  LessonParagraph runs_;
};

}  // namespace

Result<LessonParagraph> read_paragraph(std::string_view text, const fs::path& file, int line) {
  return LessonTextReader(text, file, line).read();
}

std::size_t words_of(const std::vector<LessonParagraph>& paragraphs) {
  std::size_t words = 0;
  for (const LessonParagraph& paragraph : paragraphs) {
    std::string text;
    for (const LessonRun& run : paragraph) {
      text += run.kind == LessonRun::Kind::kValue ? "1" : run.text;
    }
    // Two characters that stand without blanks are as long as a word.
    std::size_t wide = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t bytes = wide_character(text, at);
      if (bytes > 0) {
        ++wide;
        text.replace(at, bytes, " ");
      }
      ++at;
    }
    std::istringstream blanks(text);
    words +=
        static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(blanks), {})) +
        wide / 2;
  }
  return words;
}

}  // namespace tilescope
