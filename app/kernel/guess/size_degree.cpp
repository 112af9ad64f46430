#include "kernel/guess/size_degree.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "kernel/text/cuda_lexer.h"

namespace tilescope {
namespace {

// Reads each expression between two signs that are no arithmetic.
class DegreeReader {
 public:
  DegreeReader(std::string_view text, const std::set<std::string>& sizes)
      : tokens_(tokenize(text)) {
    for (const std::string& size : sizes) degrees_[size] = 1;
    sizes_ = degrees_;
  }

  int highest() {
    int highest = 0;
    while (at_ < tokens_.size()) {
      const std::size_t first = at_;
      const int degree = sum();
      highest = std::max(highest, degree);
      note_assigned(first, degree);
      if (at_ < tokens_.size()) ++at_;  // the sign that ends it
    }
    return highest;
  }

 private:
  [[nodiscard]] bool is(std::string_view sign) const {
    return at_ < tokens_.size() && tokens_[at_].is(sign);
  }

  [[nodiscard]] bool ends() const {
    constexpr std::array<std::string_view, 7> kInside{"+", "-", "*", "/", "%", "(", "."};
    if (at_ >= tokens_.size()) return true;
    const CudaToken& token = tokens_[at_];
    return token.kind == CudaTokenKind::kDirective ||
           (token.kind == CudaTokenKind::kPunctuator &&
            std::ranges::find(kInside, token.text) == kInside.end());
  }

  // name = expression: what the name stands for from here on.
  void note_assigned(std::size_t first, int degree) {
    if (first < 2 || !tokens_[first - 1].is("=") || !is_word(tokens_[first - 2])) return;
    const std::string name(tokens_[first - 2].text);
    if (!sizes_.contains(name)) degrees_[name] = degree;
  }

  int sum() {
    int degree = product();
    while (!ends() && !is(")")) {
      ++at_;  // + or -
      degree = std::max(degree, product());
    }
    return degree;
  }

  int product() {
    int degree = factor();
    while (is("*") || is("/") || is("%")) {
      const bool multiplies = is("*");
      const bool divides = is("/");
      ++at_;
      const int other = factor();
      degree = multiplies ? degree + other
               : divides  ? std::max(degree - other, 0)
                          : std::min(degree, other);
    }
    return degree;
  }

  // A name, a number, what is in round brackets, a call or a member: the last of several in a row,
  // as the variable behind its type.
  int factor() {
    int degree = 0;
    while (!ends() && !is("+") && !is("-") && !is("*") && !is("/") && !is("%")) {
      const CudaToken& token = tokens_[at_++];
      if (token.is("(")) {
        degree = std::max(degree, bracket());
      } else if (is_word(token)) {
        std::string name(token.text);
        while (is(".") && at_ + 1 < tokens_.size() && is_word(tokens_[at_ + 1])) {
          name += "." + std::string(tokens_[at_ + 1].text);
          at_ += 2;
        }
        if (degrees_.contains(name + "()")) name += "()";
        const auto found = degrees_.find(name);
        degree = found != degrees_.end() ? found->second : 0;
      }
    }
    return degree;
  }

  int bracket() {
    int degree = sum();
    while (is(",")) {
      ++at_;
      degree = std::max(degree, sum());
    }
    if (is(")")) ++at_;
    return degree;
  }

  std::vector<CudaToken> tokens_;
  std::size_t at_ = 0;
  std::map<std::string, int, std::less<>> degrees_;
  std::map<std::string, int, std::less<>> sizes_;
};

}  // namespace

int size_degree(std::string_view text, const std::set<std::string>& sizes) {
  return DegreeReader(text, sizes).highest();
}

}  // namespace tilescope
