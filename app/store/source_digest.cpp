#include "store/source_digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cctype>
#include <cstddef>
#include <utility>

namespace tilescope {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Side by side these could be another token: two words, or "+ +".
bool may_join(char a, char b) {
  constexpr std::string_view kOperators = "+-<>=&|:*/!%^.#";
  return (is_word(a) && is_word(b)) || (kOperators.find(a) != std::string_view::npos &&
                                        kOperators.find(b) != std::string_view::npos);
}

constexpr std::string_view kPhase = "TILESCOPE_PHASE";

// Walks over CUDA text, copying what the compiler's tokens are made of.
class Condenser {
 public:
  explicit Condenser(std::string_view source) : source_(source) {}

  [[nodiscard]] std::string condense() {
    while (at_ < source_.size()) step();
    return std::move(text_);
  }

 private:
  void step() {
    const char c = source_[at_];
    const std::string_view rest = source_.substr(at_);
    if (rest.starts_with("//")) {
      skip_to("\n", 0);
    } else if (rest.starts_with("/*")) {
      skip_to("*/", 2);
    } else if (is_phase(rest)) {
      skip_to(";", 1);
    } else if (c == '"' || c == '\'') {
      copy_literal(c);
    } else if (is_space(c)) {
      gap_ = true;
      newline_ = newline_ || c == '\n';
      ++at_;
    } else {
      put(c);
      ++at_;
    }
  }

  [[nodiscard]] bool is_phase(std::string_view rest) const {
    const bool in_directive = text_.ends_with("#define ") || text_.ends_with("#ifndef ");
    return rest.starts_with(kPhase) && rest.size() > kPhase.size() && !in_directive &&
           rest[kPhase.size()] == '(';
  }

  void skip_to(std::string_view end, std::size_t behind) {
    const std::size_t found = source_.find(end, at_);
    at_ = found == std::string_view::npos ? source_.size() : found + behind;
    gap_ = true;
  }

  void copy_literal(char quote) {
    put(quote);
    for (++at_; at_ < source_.size();) {
      const char c = source_[at_++];
      text_ += c;
      if (c == '\\' && at_ < source_.size()) {
        text_ += source_[at_++];
      } else if (c == quote || c == '\n') {
        return;
      }
    }
  }

  // A gap matters where two tokens could join, around a directive (a line of its own) and inside
  // one.
  void put(char c) {
    const bool words = !text_.empty() && may_join(text_.back(), c);
    if (newline_ && (in_directive_ || c == '#')) {
      if (!text_.empty()) text_ += '\n';
      in_directive_ = false;
    } else if (gap_ && (words || in_directive_)) {
      text_ += ' ';
    }
    if (c == '#') in_directive_ = true;
    gap_ = newline_ = false;
    text_ += c;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::string text_;
  bool gap_ = false;
  bool newline_ = false;
  bool in_directive_ = false;
};

}  // namespace

std::string kernel_source_hash(std::string_view cuda_source) {
  return text_digest(Condenser(cuda_source).condense());
}

std::string text_digest(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace tilescope
