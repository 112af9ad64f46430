#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

enum class CudaTokenKind : std::uint8_t {
  kWord,  // identifier or keyword
  kNumber,
  kString,  // with its prefix and quotes; raw strings too
  kCharacter,
  kPunctuator,  // one character, so ">>" and "::" are two
  kDirective,   // a whole preprocessor line with its continuations
};

struct CudaToken {
  CudaTokenKind kind = CudaTokenKind::kPunctuator;
  std::string_view text;  // into the source
  std::uint32_t line = 1;

  [[nodiscard]] bool is(std::string_view wanted) const { return text == wanted; }
};

[[nodiscard]] inline bool is_word(const CudaToken& token) {
  return token.kind == CudaTokenKind::kWord;
}

// The tokens of a CUDA file without its comments. Never fails: what is not closed ends with the
// file.
[[nodiscard]] std::vector<CudaToken> tokenize(std::string_view source);

// Tokens [first, last) in one line, with a space only between words and behind a comma.
[[nodiscard]] std::string joined(const std::vector<CudaToken>& tokens, std::size_t first,
                                 std::size_t last);

}  // namespace tilescope
