#include "kernel/host/host_contents.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "core/expression.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/source/kernel_signature.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"
#include "kernel/text/token_range.h"

namespace tilescope {
namespace {

using CudaTokens = std::vector<CudaToken>;

bool is_one_of(const CudaToken& token, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return token.is(word); });
}

class HostContents {
 public:
  explicit HostContents(const std::string& source)
      : tokens_(tokenize(source)),
        constants_(find_constants(tokens_)),
        declarations_(find_declarations(tokens_)) {}

  [[nodiscard]] std::string of(const std::string& handed) const {
    const std::vector<CudaToken> words = tokenize(handed);
    const auto first = std::ranges::find_if(words, is_word);
    if (first == words.end()) return {};
    const std::string_view array = first->text;
    bool cleared = false;
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      const bool sets = is_one_of(tokens_[i], {"cudaMemset", "cudaMemsetAsync"});
      const bool copies = is_one_of(tokens_[i], {"cudaMemcpy", "cudaMemcpyAsync"});
      if ((!sets && !copies) || !tokens_[i + 1].is("(")) continue;
      const std::vector<TokenRange> pieces = pieces_from(tokens_, i + 2);
      if (pieces.size() < 3 || name_in(pieces[0]) != array) continue;
      if (copies) {
        const std::string_view from = name_in(pieces[1]);
        return from.empty() ? std::string() : assigned(from, {0, tokens_.size()}, 0).value_or("");
      }
      cleared |= pieces[1].last == pieces[1].first + 1 && tokens_[pieces[1].first].is("0");
    }
    return cleared ? "0" : assigned(array, {0, tokens_.size()}, 0).value_or("");
  }

 private:
  static constexpr int kDeepest = 3;  // functions that hand an array on

  // The array that an argument names: of "&a[0]", "(void*)a", "a.data()" it is a.
  [[nodiscard]] std::string_view name_in(const TokenRange& piece) const {
    for (std::size_t i = piece.first; i < piece.last; ++i) {
      if (is_word(tokens_[i]) && !element_type(tokens_[i].text) &&
          !is_one_of(tokens_[i], {"void", "const", "reinterpret_cast", "static_cast", "real"})) {
        return tokens_[i].text;
      }
    }
    return {};
  }

  [[nodiscard]] bool is_device_code(std::size_t at) const {
    return std::ranges::any_of(declarations_, [&](const Declaration& one) {
      return at >= one.first && at < one.last && one.is_device;
    });
  }

  // What all statements NAME[...] = ...; in a range agree on; empty: they do not, or it cannot be
  // said; nullopt: there are none.
  [[nodiscard]] std::optional<std::string> assigned(std::string_view name, const TokenRange& range,
                                                    int depth) const {
    std::optional<std::string> found;
    const auto take = [&](const std::string& text) {
      if (!found) found = text;
      if (*found != text) found = "";
    };
    for (std::size_t i = range.first; i + 1 < range.last; ++i) {
      if (!tokens_[i].is(name) || is_device_code(i)) continue;
      if (tokens_[i + 1].is("[")) {
        if (const auto text = assignment_at(i)) take(*text);
      } else if (i > 0 && is_one_of(tokens_[i - 1], {"(", ","}) && depth < kDeepest) {
        if (const auto text = assigned_by_call(i, depth)) take(*text);
      }
    }
    return found;
  }

  // `at`: the name before [.
  [[nodiscard]] std::optional<std::string> assignment_at(std::size_t at) const {
    std::size_t close = at + 1;
    for (int depth = 0; close < tokens_.size(); ++close) {
      if (tokens_[close].is("[")) ++depth;
      if (tokens_[close].is("]") && --depth == 0) break;
    }
    if (close + 2 >= tokens_.size()) return std::nullopt;
    const bool changes =
        tokens_[close + 2].is("=") && !is_one_of(tokens_[close + 1], {"=", "!", "<", ">"});
    if (changes) return "";  // a[i] += ...
    if (!tokens_[close + 1].is("=") || tokens_[close + 2].is("=")) return std::nullopt;
    std::size_t end = close + 2;
    while (end < tokens_.size() && !is_one_of(tokens_[end], {";", "{", "}"})) ++end;
    return expression({at + 2, close}, {close + 2, end});
  }

  // A function of the file gets the array at the token `at`.
  [[nodiscard]] std::optional<std::string> assigned_by_call(std::size_t at, int depth) const {
    std::size_t open = at;
    std::size_t position = 0;
    for (int brackets = 0; open-- > 0;) {
      if (is_one_of(tokens_[open], {";", "{", "}"})) return std::nullopt;
      if (tokens_[open].is(")")) ++brackets;
      if (tokens_[open].is("(") && brackets-- == 0) break;
      if (tokens_[open].is(",") && brackets == 0) ++position;
    }
    if (open == 0 || !is_word(tokens_[open - 1])) return std::nullopt;
    for (const Declaration& function : declarations_) {
      if (function.kind != Declaration::Kind::kFunction || function.is_device ||
          function.name != tokens_[open - 1].text)
        continue;
      std::size_t begin = function.first;
      while (begin < function.last && !tokens_[begin].is("(")) ++begin;
      const std::vector<TokenRange> parameters = pieces_from(tokens_, begin + 1);
      if (position >= parameters.size() || parameters[position].last == parameters[position].first)
        return std::nullopt;
      std::size_t last = parameters[position].last;
      while (last > parameters[position].first && !is_word(tokens_[last - 1])) --last;
      if (last == parameters[position].first) return std::nullopt;
      const std::string_view name = tokens_[last - 1].text;
      return assigned(name, {parameters.back().last, function.last}, depth + 1);
    }
    return std::nullopt;
  }

  [[nodiscard]] bool same(const TokenRange& index, std::size_t at, std::size_t end) const {
    if (end - at < index.last - index.first) return false;
    for (std::size_t i = index.first; i < index.last; ++i) {
      if (!tokens_[i].is(tokens_[at + i - index.first].text)) return false;
    }
    return true;
  }

  // (float), and float behind it.
  [[nodiscard]] std::size_t cast_at(std::size_t at, std::size_t end) const {
    if (at + 2 >= end || !tokens_[at].is("(")) return at;
    std::size_t i = at + 1;
    while (
        i < end && is_word(tokens_[i]) &&
        (element_type(tokens_[i].text) || is_one_of(tokens_[i], {"unsigned", "signed", "long"}))) {
      ++i;
    }
    return i > at + 1 && i < end && tokens_[i].is(")") ? i + 1 : at;
  }

  // What is assigned to the element `index`, over i and random; empty: it is no such expression.
  [[nodiscard]] std::string expression(const TokenRange& index, const TokenRange& value) const {
    std::string text;
    bool has_fraction = false;
    const auto first = tokens_.begin();
    if (std::none_of(first + static_cast<std::ptrdiff_t>(index.first),
                     first + static_cast<std::ptrdiff_t>(index.last), is_word))
      return {};  // one element
    for (std::size_t i = value.first; i < value.last;) {
      const CudaToken& token = tokens_[i];
      if (const std::size_t behind = cast_at(i, value.last); behind != i) {
        for (; i < behind; ++i) has_fraction |= is_one_of(tokens_[i], {"float", "double"});
      } else if (token.is("rand") && i + 2 < value.last && tokens_[i + 1].is("(") &&
                 tokens_[i + 2].is(")")) {
        text += "random ";
        i += 3;
      } else if (is_word(token) && same(index, i, value.last)) {
        text += "i ";
        i += index.last - index.first;
      } else if (is_word(token)) {
        const auto constant = constants_.find(std::string(token.text));
        if (constant == constants_.end()) return {};
        text += std::to_string(constant->second) + " ";
        ++i;
      } else if (token.kind == CudaTokenKind::kNumber) {
        const std::string whole = whole_number(token.text, &has_fraction);
        if (whole.empty()) return {};
        text += whole + " ";
        ++i;
      } else if (token.kind == CudaTokenKind::kPunctuator) {
        text += token.text;
        if (!is_one_of(token, {"(", ")"})) text += ' ';
        ++i;
      } else {
        return {};
      }
    }
    // Of numbers with a fraction a quotient is no whole number.
    if (has_fraction && text.find('/') != std::string::npos) return {};
    if (text.find('?') != std::string::npos) return {};
    while (text.ends_with(' ')) text.pop_back();
    if (text == "i") return "iota";
    if (text == "random") return {};  // as the buffer's type has them
    for (const std::int64_t place : {0, 1, 1000}) {
      if (!evaluate_expression(text, {{"i", place}, {"random", 12345678}})) return {};
    }
    return text;
  }

  // "2.0f" as "2"; empty: "0.5".
  static std::string whole_number(std::string_view text, bool* has_fraction) {
    std::string digits(text);
    while (!digits.empty() && std::string_view("fFuUlL").find(digits.back()) != std::string::npos &&
           !digits.starts_with("0x"))
      digits.pop_back();
    const std::size_t point = digits.find('.');
    if (point == std::string::npos) {
      return digits.find_first_of("eE") == std::string::npos || digits.starts_with("0x") ? digits
                                                                                         : "";
    }
    *has_fraction = true;
    if (digits.find_first_not_of('0', point + 1) != std::string::npos) return {};
    return point == 0 ? "0" : digits.substr(0, point);
  }

  CudaTokens tokens_;
  ParameterSet constants_;
  std::vector<Declaration> declarations_;
};

}  // namespace

std::vector<std::string> written_contents(const std::string& source,
                                          const std::vector<std::string>& handed) {
  const HostContents host(source);
  std::vector<std::string> contents;
  for (const std::string& name : handed) contents.push_back(host.of(name));
  return contents;
}

}  // namespace tilescope
