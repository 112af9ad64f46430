#include "kernel/text/cuda_lexer.h"

#include <algorithm>

namespace tilescope {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {  // bytes of UTF-8 count as letters
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c) || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<CudaToken> run() {
    skip_blank();
    while (position_ < source_.size()) {
      take();
      skip_blank();
    }
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char at(std::size_t position) const {
    return position < source_.size() ? source_[position] : '\0';
  }
  [[nodiscard]] bool starts(std::string_view text) const {
    return source_.substr(position_).starts_with(text);
  }

  void take() {
    first_ = position_;
    line_ = next_line_;
    const char c = at(position_);
    if (c == '#' && line_is_fresh_) {
      take_directive();
    } else if (c == '"' || c == '\'') {
      take_quoted(c);
    } else if (is_digit(c) || (c == '.' && is_digit(at(position_ + 1)))) {
      take_number();
    } else if (is_word(c)) {
      take_word();
    } else {
      ++position_;
      push(CudaTokenKind::kPunctuator);
    }
    line_is_fresh_ = false;
  }

  void take_word() {
    while (position_ < source_.size() && is_word(source_[position_])) ++position_;
    const std::string_view word = source_.substr(first_, position_ - first_);
    const bool prefix = word == "L" || word == "u" || word == "U" || word == "u8";
    const bool raw = word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
    if (raw && at(position_) == '"') {
      take_raw_string();
    } else if (prefix && (at(position_) == '"' || at(position_) == '\'')) {
      take_quoted(at(position_));
    } else {
      push(CudaTokenKind::kWord);
    }
  }

  void take_number() {
    while (position_ < source_.size()) {
      const char c = source_[position_];
      const char before = at(position_ - 1);
      const bool sign = (c == '+' || c == '-') && position_ > first_ &&
                        (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && is_word(at(position_ + 1));
      if (!is_word(c) && c != '.' && !sign && !separator) break;
      ++position_;
    }
    push(CudaTokenKind::kNumber);
  }

  void take_quoted(char quote) {
    ++position_;
    while (position_ < source_.size() && source_[position_] != quote &&
           source_[position_] != '\n') {
      position_ += source_[position_] == '\\' ? 2U : 1U;
    }
    position_ = std::min(position_ + 1, source_.size());
    push(quote == '"' ? CudaTokenKind::kString : CudaTokenKind::kCharacter);
  }

  void take_raw_string() {  // R"mark( ... )mark"
    const std::size_t open = source_.find('(', position_);
    if (open == std::string_view::npos || open - position_ > 17) return take_quoted('"');
    const std::string_view mark = source_.substr(position_ + 1, open - position_ - 1);
    std::size_t close = source_.find(')', open);
    while (close != std::string_view::npos &&
           !(source_.substr(close + 1).starts_with(mark) && at(close + 1 + mark.size()) == '"')) {
      close = source_.find(')', close + 1);
    }
    position_ = close == std::string_view::npos ? source_.size() : close + mark.size() + 2;
    push(CudaTokenKind::kString);
  }

  // To the end of the line, over continuations and comments that span lines.
  void take_directive() {
    while (position_ < source_.size() && source_[position_] != '\n') {
      if (starts("\\\n")) {
        position_ += 2;
      } else if (starts("\\\r\n")) {
        position_ += 3;
      } else if (starts("/*")) {
        skip_block_comment();
      } else if (starts("//")) {
        skip_line_comment();
      } else if (starts("\"")) {
        skip_closed_string();
      } else {
        ++position_;
      }
    }
    push(CudaTokenKind::kDirective);
  }

  void skip_closed_string() {  // a lone quote, as in #error, counts as a letter
    std::size_t end = position_ + 1;
    while (end < source_.size() && source_[end] != '"' && source_[end] != '\n') {
      end += source_[end] == '\\' ? 2U : 1U;
    }
    position_ = at(end) == '"' ? end + 1 : position_ + 1;
  }

  void skip_blank() {
    while (position_ < source_.size()) {
      const char c = source_[position_];
      if (c == '\n') {
        line_is_fresh_ = true;
        ++next_line_;
        ++position_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++position_;
      } else if (starts("\\\n") || starts("\\\r\n")) {  // a continued line stays one line
        ++next_line_;
        position_ = source_.find('\n', position_) + 1;
      } else if (starts("//")) {
        count_lines(&Lexer::skip_line_comment);
      } else if (starts("/*")) {
        count_lines(&Lexer::skip_block_comment);
      } else {
        return;
      }
    }
  }

  void count_lines(void (Lexer::*skip)()) {
    const std::size_t first = position_;
    (this->*skip)();
    next_line_ += lines_in(first, position_);
  }

  void skip_line_comment() {  // a backslash at its end takes the next line with it
    for (;; ++position_) {
      position_ = std::min(source_.find('\n', position_), source_.size());
      const std::string_view before = source_.substr(0, position_);
      if (position_ == source_.size()) return;
      if (!before.ends_with('\\') && !before.ends_with("\\\r")) return;
    }
  }

  void skip_block_comment() {
    const std::size_t end = source_.find("*/", position_ + 2);
    position_ = end == std::string_view::npos ? source_.size() : end + 2;
  }

  [[nodiscard]] std::uint32_t lines_in(std::size_t first, std::size_t last) const {
    const std::string_view part = source_.substr(first, last - first);
    return static_cast<std::uint32_t>(std::ranges::count(part, '\n'));
  }

  void push(CudaTokenKind kind) {
    position_ = std::min(position_, source_.size());
    tokens_.push_back({kind, source_.substr(first_, position_ - first_), line_});
    next_line_ += lines_in(first_, position_);
  }

  std::string_view source_;
  std::size_t position_ = 0;
  std::size_t first_ = 0;        // of the token at hand
  std::uint32_t line_ = 1;       // of the token at hand
  std::uint32_t next_line_ = 1;  // at position_
  bool line_is_fresh_ = true;    // nothing but blanks so far: a # begins a directive
  std::vector<CudaToken> tokens_;
};

}  // namespace

std::vector<CudaToken> tokenize(std::string_view source) { return Lexer(source).run(); }

std::string joined(const std::vector<CudaToken>& tokens, std::size_t first, std::size_t last) {
  const auto is_word = [](const CudaToken& token) {
    return token.kind == CudaTokenKind::kWord || token.kind == CudaTokenKind::kNumber;
  };
  std::string text;
  for (std::size_t i = first; i < last; ++i) {
    if (i > first && is_word(tokens[i - 1]) && is_word(tokens[i])) text += ' ';
    text += tokens[i].text;
    if (tokens[i].is(",") && i + 1 < last) text += ' ';
  }
  return text;
}

}  // namespace tilescope
