#include "ptx/lexer.h"

#include <bit>
#include <charconv>
#include <system_error>

namespace tilescope {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool starts_identifier(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }
bool continues_identifier(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }
bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::uint64_t parse_digits(std::string_view digits, int base, bool* overflows) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  *overflows = parsed.ec == std::errc::result_out_of_range;
  return value;
}

}  // namespace

PtxToken PtxLexer::take() {
  const PtxToken taken = token_;
  end_of_last_ = position_;
  advance();
  return taken;
}

bool PtxLexer::accept(char punctuation) {
  if (!at(punctuation)) return false;
  take();
  return true;
}

void PtxLexer::skip_blank() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      ++line_;
      ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0' || c == '\f' || c == '\v') {
      ++position_;
    } else if (c == '/' && position_ + 1 < text_.size() && text_[position_ + 1] == '/') {
      const std::size_t end = text_.find('\n', position_);
      position_ = end == std::string_view::npos ? text_.size() : end;
    } else if (c == '/' && position_ + 1 < text_.size() && text_[position_ + 1] == '*') {
      std::size_t end = text_.find("*/", position_ + 2);
      end = end == std::string_view::npos ? text_.size() : end + 2;
      for (; position_ < end; ++position_) line_ += text_[position_] == '\n' ? 1u : 0u;
    } else {
      return;
    }
  }
}

void PtxLexer::advance() {
  skip_blank();
  token_ = {};
  token_.line = line_;
  token_.begin = position_;
  if (position_ >= text_.size()) return;
  const char c = text_[position_];
  const auto take_while = [&](std::size_t from, auto belongs) {
    std::size_t end = from;
    while (end < text_.size() && belongs(text_[end])) ++end;
    token_.text = text_.substr(position_, end - position_);
    position_ = end;
  };
  const bool has_next = position_ + 1 < text_.size();
  if (starts_identifier(c)) {
    token_.kind = PtxTokenKind::kIdentifier;
    take_while(position_ + 1, continues_identifier);
  } else if (c == '.' && has_next && is_letter(text_[position_ + 1])) {
    token_.kind = PtxTokenKind::kDirective;
    take_while(position_ + 1, continues_identifier);
  } else if (is_digit(c) || (c == '.' && has_next && is_digit(text_[position_ + 1]))) {
    lex_number();
  } else if (c == '"') {
    token_.kind = PtxTokenKind::kString;
    std::size_t end = position_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
      const bool escapes = text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n';
      end += escapes ? 2 : 1;
    }
    token_.text = text_.substr(position_ + 1, end - position_ - 1);
    position_ = end < text_.size() && text_[end] == '"' ? end + 1 : end;
  } else {
    token_.kind = PtxTokenKind::kPunctuation;
    token_.text = text_.substr(position_, 1);
    ++position_;
  }
}

void PtxLexer::lex_number() {
  const std::size_t begin = position_;
  const char second = begin + 1 < text_.size() ? text_[begin + 1] : '\0';
  const auto run = [&](std::size_t from, auto belongs) {
    std::size_t end = from;
    while (end < text_.size() && belongs(text_[end])) ++end;
    return end;
  };
  const bool zero = text_[begin] == '0';
  if (zero && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    const bool single = second == 'f' || second == 'F';
    const std::size_t end = run(begin + 2, is_hexadecimal);
    token_.kind = single ? PtxTokenKind::kFloat32 : PtxTokenKind::kFloat;
    token_.bits = parse_digits(text_.substr(begin + 2, end - begin - 2), 16, &token_.overflows);
    position_ = end;
  } else if (zero && (second == 'x' || second == 'X')) {
    const std::size_t end = run(begin + 2, is_hexadecimal);
    token_.kind = PtxTokenKind::kInteger;
    token_.bits = parse_digits(text_.substr(begin + 2, end - begin - 2), 16, &token_.overflows);
    position_ = end;
  } else if (zero && (second == 'b' || second == 'B')) {
    const std::size_t end = run(begin + 2, is_digit);
    token_.kind = PtxTokenKind::kInteger;
    token_.bits = parse_digits(text_.substr(begin + 2, end - begin - 2), 2, &token_.overflows);
    position_ = end;
  } else {
    std::size_t end = run(begin, is_digit);
    const bool fraction = end < text_.size() && text_[end] == '.' && end + 1 < text_.size() &&
                          is_digit(text_[end + 1]);
    const bool exponent = end < text_.size() && (text_[end] == 'e' || text_[end] == 'E');
    if (fraction || exponent) {
      double value = 0;
      const auto parsed = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
      end = static_cast<std::size_t>(parsed.ptr - text_.data());
      if (end <= begin) end = begin + 1;
      token_.kind = PtxTokenKind::kFloat;
      token_.bits = std::bit_cast<std::uint64_t>(value);
    } else {
      const bool octal = zero && end - begin > 1;
      token_.kind = PtxTokenKind::kInteger;
      token_.bits =
          parse_digits(text_.substr(begin, end - begin), octal ? 8 : 10, &token_.overflows);
    }
    position_ = end;
  }
  if (token_.kind == PtxTokenKind::kInteger && position_ < text_.size() &&
      text_[position_] == 'U') {
    ++position_;
  }
  token_.text = text_.substr(begin, position_ - begin);
}

std::string_view PtxLexer::take_suffix() {
  // token_ is one ahead; a suffix begins right where the last token ended.
  // ".2d" of a tensor or texture is a number to the lexer.
  const std::size_t begin = token_.begin;
  const bool dotted =
      begin + 1 < text_.size() && text_[begin] == '.' && continues_identifier(text_[begin + 1]);
  if (!dotted || token_.kind == PtxTokenKind::kEnd || begin != end_of_last_) return {};
  std::size_t end = begin;
  while (end < text_.size()) {
    const char c = text_[end];
    const bool colons = c == ':' && end + 1 < text_.size() && text_[end + 1] == ':';
    if (colons) {
      end += 2;
    } else if (c == '.' || continues_identifier(c)) {
      ++end;
    } else {
      break;
    }
  }
  position_ = end;
  end_of_last_ = end;
  line_ = token_.line;
  advance();
  return text_.substr(begin, end - begin);
}

bool PtxLexer::next_is_label_colon() const {
  return at(':') && !(position_ < text_.size() && text_[position_] == ':');
}

void PtxLexer::skip_braces() {
  position_ = token_.begin;
  line_ = token_.line;
  int depth = 0;
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '/' || c == '\n') {
      const std::size_t before = position_;
      skip_blank();
      if (position_ == before) ++position_;
    } else if (c == '"') {
      const std::size_t end = text_.find_first_of("\"\n", position_ + 1);
      position_ = end == std::string_view::npos ? text_.size() : end + (text_[end] == '"' ? 1 : 0);
    } else {
      depth += (c == '{' ? 1 : 0) - (c == '}' ? 1 : 0);
      ++position_;
      if (c == '}' && depth <= 0) break;
    }
  }
  end_of_last_ = position_;
  advance();
}

void PtxLexer::skip_line() {
  std::size_t end = text_.find('\n', token_.begin);
  if (end == std::string_view::npos) end = text_.size();
  if (end < position_) return;  // the token was the line's last
  position_ = end;
  end_of_last_ = end;
  advance();
}

}  // namespace tilescope
