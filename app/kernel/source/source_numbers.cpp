#include "kernel/source/source_numbers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "kernel/source/template_arguments.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

constexpr std::int64_t kLargest = std::int64_t{1} << 30;
constexpr std::int64_t kWarpWidth = 32;

// 16 or 16u, decimal; `text`: what the token is part of.
std::optional<SourceNumber> number_at(const CudaToken& token, std::string_view text) {
  if (token.kind != CudaTokenKind::kNumber) return std::nullopt;
  SourceNumber number;
  const char* begin = token.text.data();
  const char* end = begin + token.text.size();
  const auto [digits_end, failure] = std::from_chars(begin, end, number.value);
  if (failure != std::errc{} || number.value > kLargest) return std::nullopt;
  if (*begin == '0' && digits_end - begin > 1) return std::nullopt;  // octal
  const std::string_view suffix(digits_end, static_cast<std::size_t>(end - digits_end));
  if (suffix.find_first_not_of("uUlL") != std::string_view::npos) return std::nullopt;
  number.first = static_cast<std::size_t>(begin - text.data());
  number.last = static_cast<std::size_t>(digits_end - text.data());
  return number;
}

// How many conditions of the preprocessor each token stands under; a guard around the whole file is
// none.
std::vector<int> condition_depths(const Tokens& tokens) {
  std::vector<int> depths;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    depths.push_back(depth);
    if (tokens[i].kind != CudaTokenKind::kDirective) continue;
    const Tokens words = tokenize(tokens[i].text.substr(1));
    if (words.empty()) continue;
    if (words[0].is("endif")) --depth;
    if (!words[0].text.starts_with("if")) continue;
    const Tokens next = i == 0 && tokens.size() > 1 && words[0].is("ifndef") && words.size() == 2
                            ? tokenize(tokens[1].text.substr(1))
                            : Tokens{};
    const bool is_guard = next.size() == 2 && next[0].is("define") && next[1].is(words[1].text);
    if (!is_guard) ++depth;
  }
  return depths;
}

// What a file defines at its outermost level, and which words its device code uses.
class NamedNumbers {
 public:
  explicit NamedNumbers(const std::string& source)
      : source_(source), tokens_(tokenize(source)), depths_(condition_depths(tokens_)) {}

  std::vector<SourceNumber> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == CudaTokenKind::kDirective) take_define(i);
    }
    take(find_declarations(tokens_));
    use_launches();
    std::vector<SourceNumber> numbers;
    for (const SourceNumber& number : found_) {
      if (times_defined_[number.name] == 1 && used_.contains(number.name) && !is_warp(number)) {
        numbers.push_back(number);
      }
    }
    std::ranges::sort(numbers, {}, &SourceNumber::first);
    return numbers;
  }

 private:
  static bool is_warp(const SourceNumber& number) {
    std::string name = number.name;
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return number.value == kWarpWidth && name.find("warp") != std::string::npos;
  }

  // #define NAME NUMBER, perhaps in parentheses; and #undef, after which nothing is certain.
  void take_define(std::size_t at) {
    const Tokens words = tokenize(tokens_[at].text.substr(1));
    if (words.size() < 2 || !(words[0].is("define") || words[0].is("undef"))) return;
    const std::string name(words[1].text);
    ++times_defined_[name];
    if (words[0].is("undef")) ++times_defined_[name];
    const char* name_end = words[1].text.data() + words[1].text.size();
    const bool takes_arguments =
        words.size() > 2 && words[2].is("(") && words[2].text.data() == name_end;
    std::optional<SourceNumber> number;
    std::size_t others = takes_arguments ? 1 : 0;
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (is_word(words[i])) depends_[name].push_back(words[i].text);
      const bool bracket = words[i].is("(") || words[i].is(")");
      if (words[i].kind == CudaTokenKind::kNumber) number = number_at(words[i], source_);
      others += bracket ? 0 : 1;
    }
    if (number && others == 1) note(at, *std::move(number), name);
  }

  void note(std::size_t at, SourceNumber number, const std::string& name) {
    if (depths_[at] != 0) return;
    number.name = name;
    found_.push_back(std::move(number));
  }

  void take(const std::vector<Declaration>& declarations) {
    for (const Declaration& declaration : declarations) {
      if (declaration.kind == Declaration::Kind::kOther) {
        take_constants(declaration);
      } else if (declaration.is_device || declaration.kind == Declaration::Kind::kClass) {
        use(declaration.first, declaration.last);
      }
    }
  }

  // constexpr int M = 8, N = 4;
  void take_constants(const Declaration& declaration) {
    const auto begin = tokens_.begin() + static_cast<std::ptrdiff_t>(declaration.first);
    const auto end = tokens_.begin() + static_cast<std::ptrdiff_t>(declaration.last);
    const bool is_constant = std::any_of(begin, end, [](const CudaToken& token) {
      return token.is("const") || token.is("constexpr");
    });
    const auto whole = std::find_if(begin, end, [](const CudaToken& token) {
      return is_word(token) && is_whole_type(token.text);
    });
    if (!is_constant || whole == end || declaration.is_template) {
      if (declaration.is_device) use(declaration.first, declaration.last);
      return;
    }
    std::string name;
    for (std::size_t i = declaration.first + 1; i + 1 < declaration.last; ++i) {
      if (tokens_[i + 1].is("=") && is_word(tokens_[i])) {
        name = tokens_[i].text;
        ++times_defined_[name];
        const bool ends =
            i + 3 >= declaration.last || tokens_[i + 3].is(";") || tokens_[i + 3].is(",");
        const auto number =
            i + 2 < declaration.last ? number_at(tokens_[i + 2], source_) : std::nullopt;
        if (number && ends) note(i, *number, name);
      } else if (!name.empty() && is_word(tokens_[i])) {
        depends_[name].push_back(tokens_[i].text);
      }
    }
  }

  // The words of [first, last), and what stands behind them.
  void use(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (is_word(tokens_[i])) use_word(tokens_[i].text);
      if (tokens_[i].kind != CudaTokenKind::kDirective) continue;
      for (const CudaToken& word : tokenize(tokens_[i].text.substr(1))) {
        if (is_word(word)) use_word(word.text);
      }
    }
  }
  void use_word(std::string_view word) { words_.push_back(word); }

  // kernel<<<grid, block, TILE * 4>>>, and the dim3 that such names stand for.
  void use_launches() {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      const bool opens = tokens_[i].is("<") && tokens_[i + 1].is("<") && tokens_[i + 2].is("<");
      if (!opens && !tokens_[i].is("dim3")) continue;
      for (std::size_t j = i + 1; j < tokens_.size() && !tokens_[j].is(";"); ++j) {
        if (is_word(tokens_[j])) use_word(tokens_[j].text);
      }
    }
    while (!words_.empty()) {
      const std::string word(words_.back());
      words_.pop_back();
      if (!used_.insert(word).second) continue;
      const auto behind = depends_.find(word);
      if (behind == depends_.end()) continue;
      words_.insert(words_.end(), behind->second.begin(), behind->second.end());
    }
  }

  const std::string& source_;
  Tokens tokens_;
  std::vector<int> depths_;
  std::vector<SourceNumber> found_;
  std::map<std::string, int> times_defined_;
  std::map<std::string, std::vector<std::string_view>> depends_;
  std::vector<std::string_view> words_;  // used, and not followed yet
  std::set<std::string> used_;
};

}  // namespace

std::vector<SourceNumber> source_numbers(const std::string& source) {
  return NamedNumbers(source).run();
}

std::vector<SourceNumber> template_numbers(const std::string& source, std::string_view kernel) {
  const std::size_t open = kernel.find('<');
  if (open == std::string_view::npos) return {};
  const std::string_view plain = kernel.substr(0, open);
  const std::vector<TemplateParameter> parameters = template_parameters(source, plain);
  std::vector<SourceNumber> numbers;
  const Tokens arguments = tokenize(kernel);
  std::size_t argument = 0;
  int depth = 0;
  for (std::size_t i = 1; i + 1 < arguments.size() && argument < parameters.size(); ++i) {
    const CudaToken& token = arguments[i];
    const bool alone = (arguments[i - 1].is("<") || arguments[i - 1].is(",")) &&
                       (arguments[i + 1].is(">") || arguments[i + 1].is(","));
    if (depth == 1 && token.is(",")) ++argument;
    if (token.is("<") || token.is("(")) ++depth;
    if (token.is(">") || token.is(")")) --depth;
    if (depth != 1 || !alone || argument >= parameters.size() || !parameters[argument].is_whole)
      continue;
    auto number = number_at(token, kernel);
    if (!number) continue;
    number->name = parameters[argument].name;
    numbers.push_back(*std::move(number));
  }
  return numbers;
}

std::vector<SourceNumber> missing_numbers(const std::string& source) {
  const Tokens tokens = tokenize(source);
  std::vector<SourceNumber> numbers;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__constant__") || (i > 0 && tokens[i - 1].is("extern"))) continue;
    std::vector<const CudaToken*> names;  // the last word before each comma, and the last
    bool is_whole = false;
    bool is_plain = true;  // no array, no pointer, no value
    for (++i; i < tokens.size() && !tokens[i].is(";"); ++i) {
      const bool ends = i + 1 < tokens.size() && (tokens[i + 1].is(",") || tokens[i + 1].is(";"));
      is_whole |= is_word(tokens[i]) && is_whole_type(tokens[i].text);
      is_plain &= is_word(tokens[i]) || tokens[i].is(",");
      if (is_word(tokens[i]) && ends) names.push_back(&tokens[i]);
    }
    for (const CudaToken* name : names) {
      if (!is_whole || !is_plain) break;
      const auto end =
          static_cast<std::size_t>(name->text.data() + name->text.size() - source.data());
      numbers.push_back({std::string(name->text), 0, end, end, true});
    }
  }
  return numbers;
}

std::string with_numbers(std::string text, const std::vector<SourceNumber>& numbers,
                         const ParameterSet& values) {
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
    const auto value = values.find(number->name);
    if (value == values.end() || value->second == number->value) continue;
    text.replace(number->first, number->last - number->first,
                 (number->is_missing ? " = " : "") + std::to_string(value->second));
  }
  return text;
}

}  // namespace tilescope
