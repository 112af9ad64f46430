#include "kernel/source/conditional_text.h"

#include <algorithm>

namespace tilescope {

void ConditionalText::read(const std::vector<CudaToken>& words) {
  if (words.empty()) return;
  const CudaToken& word = words[0];
  const bool names = words.size() > 1;
  if (word.is("define") && names && !leaves_out()) defined_.insert(words[1].text);
  if (word.text.starts_with("if")) {
    const bool is_defined = names && defined_.contains(words[1].text);
    left_out_.push_back((word.is("ifdef") && names && !is_defined) ||
                        (word.is("ifndef") && is_defined));
  } else if (word.is("else") && !left_out_.empty()) {
    left_out_.back() = !left_out_.back();
  } else if (word.is("endif") && !left_out_.empty()) {
    left_out_.pop_back();
  }
}

bool ConditionalText::leaves_out(std::size_t first) const {
  if (first >= left_out_.size()) return false;
  return std::find(left_out_.begin() + static_cast<std::ptrdiff_t>(first), left_out_.end(), true) !=
         left_out_.end();
}

std::vector<CudaToken> with_plain_lists(const std::vector<CudaToken>& tokens) {
  std::vector<CudaToken> plain;
  plain.reserve(tokens.size());
  ConditionalText conditions;
  std::size_t around = 0;  // conditions that are open around the outermost bracket
  int depth = 0;
  for (const CudaToken& token : tokens) {
    if (token.kind == CudaTokenKind::kDirective) {
      conditions.read(tokenize(token.text.substr(1)));
      if (depth == 0) plain.push_back(token);
      continue;
    }
    if (depth > 0 && conditions.leaves_out(around)) continue;
    if (token.is("(") && depth++ == 0) around = conditions.depth();
    if (token.is(")") && depth > 0) --depth;
    plain.push_back(token);
  }
  return plain;
}

}  // namespace tilescope
