#pragma once
#include <cstdint>
#include <string_view>

namespace tilescope {

enum class PtxTokenKind : std::uint8_t {
  kEnd,
  kIdentifier,   // with $, _ and %; no dots
  kDirective,    // ".reg", dot included
  kInteger,      // bits
  kFloat,        // bits: f64
  kFloat32,      // bits: f32, written 0fXXXXXXXX
  kString,       // text without the quotes, escapes as they stand
  kPunctuation,  // one character in text
};

struct PtxToken {
  PtxTokenKind kind = PtxTokenKind::kEnd;
  std::string_view text;
  std::uint64_t bits = 0;
  bool overflows = false;  // kInteger: it has more than 64 bits
  std::uint32_t line = 1;
  std::size_t begin = 0;  // offset in the text
};

// Cuts PTX text into tokens, one ahead. Comments are skipped. Never reads past the text.
class PtxLexer {
 public:
  explicit PtxLexer(std::string_view text) : text_(text) { advance(); }

  [[nodiscard]] const PtxToken& peek() const { return token_; }
  PtxToken take();
  [[nodiscard]] bool at(char punctuation) const {
    return token_.kind == PtxTokenKind::kPunctuation && token_.text[0] == punctuation;
  }
  bool accept(char punctuation);

  // The dotted rest of an opcode that follows the token just taken at `begin`:
  // ".global.L1::no_allocate.f32".
  std::string_view take_suffix();
  [[nodiscard]] bool next_is_label_colon() const;  // ':' but not '::'
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t end_of_last() const { return end_of_last_; }
  void skip_line();  // the rest of the current line
  // Behind the '}' that closes the '{' here. A brace in a comment or a string is none.
  void skip_braces();

 private:
  void advance();
  void skip_blank();
  void lex_number();

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t end_of_last_ = 0;  // just past the token taken last
  std::uint32_t line_ = 1;
  PtxToken token_;
};

}  // namespace tilescope
