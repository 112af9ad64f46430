#include "kernel/source/template_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>

#include "core/expression.h"
#include "kernel/source/structure_layout.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

std::string lower(std::string_view text) {
  std::string word(text);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

std::optional<Declaration> declaration_of(const Tokens& tokens, std::string_view kernel) {
  for (const Declaration& declaration : find_declarations(tokens)) {
    const std::string name =
        declaration.scope.empty() ? declaration.name : declaration.scope + "::" + declaration.name;
    if (declaration.is_kernel && declaration.kind == Declaration::Kind::kFunction &&
        name == kernel) {
      return declaration;
    }
  }
  return std::nullopt;
}

// "<float, 16>" of "template __global__ void kernel<float, 16>(...);", the first of them.
std::string instantiated_arguments(const Tokens& tokens, std::string_view kernel) {
  const std::string_view name = kernel.substr(kernel.rfind(':') + 1);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is("template") || tokens[i + 1].is("<")) continue;
    while (i + 1 < tokens.size() && !tokens[i].is(";") &&
           !(tokens[i].is(name) && tokens[i + 1].is("<"))) {
      ++i;
    }
    if (i + 1 >= tokens.size() || tokens[i].is(";")) continue;
    std::string arguments;
    int depth = 0;
    do {
      ++i;
      depth += tokens[i].is("<") ? 1 : tokens[i].is(">") ? -1 : 0;
      const bool apart = is_word(tokens[i]) && is_word(tokens[i - 1]);  // unsigned char
      arguments += (apart ? " " : "") + std::string(tokens[i].text);
    } while (depth > 0 && i + 1 < tokens.size());
    return arguments;
  }
  return {};
}

// "const T* __restrict__" to "T".
std::string plain_type(const std::string& type) {
  std::string plain;
  for (const CudaToken& token : tokenize(type)) {
    if (!is_word(token) || token.is("const") || token.is("volatile") ||
        token.text.find("restrict") != std::string_view::npos) {
      continue;
    }
    plain += (plain.empty() ? "" : " ") + std::string(token.text);
  }
  return plain;
}

// float of "float *a = nullptr, *b;" for b, and of "thrust::device_vector<float> b"; of a parameter
// "T const* b" nothing.
std::string declared_type(const Tokens& tokens, std::string_view name) {
  const auto type_at = [&](std::size_t at) {
    const bool known = is_word(tokens[at]) && element_type(tokens[at].text);
    return known ? std::string(tokens[at].text) : std::string();
  };
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (!tokens[i].is(name)) continue;
    const CudaToken& before = tokens[i - 1];
    if (!before.is("*") && !before.is(",") && !before.is("&") && !before.is(">") &&
        !is_word(before)) {
      continue;
    }
    bool among_others = false;
    for (std::size_t j = i; j-- > 0;) {
      if (tokens[j].is(";") || tokens[j].is("{") || tokens[j].is("}") || tokens[j].is("(")) break;
      if (tokens[j].is(",")) among_others = true;
      if (std::string type = type_at(j); !type.empty()) return type;
      const bool is_type = is_word(tokens[j]) && !tokens[j].is("const") &&
                           tokens[j].text.find("restrict") == std::string_view::npos;
      if (is_type && !among_others) break;
    }
  }
  return {};
}

// A class, an enumeration or another name of a type that the file declares at its top.
bool declares_type(const Tokens& tokens, std::string_view name) {
  const auto names_it = [&](const Declaration& declaration) {
    if (declaration.kind == Declaration::Kind::kFunction) return false;
    if (declaration.name == name) return true;
    for (std::size_t i = declaration.first; i + 1 < declaration.last; ++i) {
      if (!tokens[i].is("using") && !tokens[i].is("typedef") && !tokens[i].is("enum")) continue;
      if (tokens[i + 1].is(name) || tokens[declaration.last - 2].is(name)) return true;
    }
    return false;
  };
  return std::ranges::any_of(find_declarations(tokens), names_it);
}

// "Scaled<float>" of "Scaled<float> by_two(2.0f);" for by_two: an object of a class of the file's.
std::string object_type(const Tokens& tokens, std::string_view name) {
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    const CudaToken& next = tokens[i + 1];
    const bool is_declared = next.is("(") || next.is("{") || next.is(";") || next.is("=");
    if (!tokens[i].is(name) || !is_declared) continue;
    std::size_t first = i - 1;
    if (tokens[first].is(">")) {
      int depth = 0;
      do {
        depth += tokens[first].is(">") ? 1 : tokens[first].is("<") ? -1 : 0;
      } while (first-- > 0 && depth > 0);
      if (first >= i) return {};
    }
    if (is_word(tokens[first]) && declares_type(tokens, tokens[first].text)) {
      return joined(tokens, first, i);
    }
  }
  return {};
}

// Whether a word is a template's parameter or a function's own name of a type: typename W, using W
// =.
bool is_local_type(const Tokens& tokens, std::string_view word) {
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(word)) continue;
    const bool is_parameter = (tokens[i - 1].is("typename") || tokens[i - 1].is("class")) &&
                              (tokens[i + 1].is(",") || tokens[i + 1].is(">"));
    if (is_parameter || (tokens[i - 1].is("using") && tokens[i + 1].is("="))) return true;
  }
  return false;
}

// Template arguments without names that only stand for something where they are written, as
// scalar_t and kIsEven in the lambda of a macro that chooses a type or a number: float, and true.
std::string with_known_names(const Tokens& tokens, const ParameterSet& constants,
                             const std::string& argument) {
  constexpr std::array<std::string_view, 6> kOfLibraries{
      "half_t", "bfloat16_t", "tfloat32_t", "float_e4m3_t", "float_e5m2_t", "nullptr_t"};
  const Tokens words = tokenize(argument);
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i].text;
    const bool is_scoped =
        (i > 0 && words[i - 1].is(":")) || (i + 1 < words.size() && words[i + 1].is(":"));
    const bool is_known = is_scoped || !is_word(words[i]) || element_type(word) ||
                          constants.contains(std::string(word)) || declares_type(tokens, word) ||
                          std::ranges::find(kOfLibraries, word) != kOfLibraries.end();
    std::string piece(word);
    const bool is_type =
        word.ends_with("_t") || word.starts_with("scalar_t") || is_local_type(tokens, word);
    if (!is_known && is_type) piece = "float";
    if (!is_known && word.size() > 1 && word[0] == 'k' &&
        std::isupper(static_cast<unsigned char>(word[1])) != 0) {
      piece = "true";
    }
    const bool apart = i > 0 && is_word(words[i]) && is_word(words[i - 1]);
    text += (apart ? " " : "") + piece + (words[i].is(",") ? " " : "");
  }
  return text;
}

bool declares_function(const Tokens& tokens, std::string_view name) {
  return std::ranges::any_of(find_declarations(tokens), [&](const Declaration& declaration) {
    return declaration.kind == Declaration::Kind::kFunction && declaration.is_device &&
           declaration.name == name;
  });
}

// "block_m" of "block_size_m" and "block_tile_m".
std::string without_size(std::string name) {
  for (const std::string_view word : {"_size", "_tile"}) {
    if (const std::size_t at = name.find(word); at != std::string::npos)
      name.erase(at, word.size());
  }
  return name;
}

// What a number of this name usually is.
std::string usual_number(const TemplateParameter& parameter, const Tokens& tokens,
                         const Declaration& kernel, bool is_plane) {
  if (parameter.is_bool) return "false";
  const std::string name = lower(parameter.name);
  const auto any = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(
        names, [&](std::string_view part) { return name.find(part) != std::string::npos; });
  };
  const std::string plain = without_size(name);
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, plain) != names.end();
  };
  if (is({"bm", "bn", "block_m", "block_n"})) return "64";
  if (is({"bk", "block_k", "tm", "tn", "thread_m", "thread_n", "thread_x", "thread_y"})) return "8";
  if (any({"depth", "each"})) return "8";
  if (any({"headdim", "head_dim", "head_size"})) return "64";
  if (any({"unroll", "vec", "items", "per_thread", "coarse", "stage"})) return "4";
  // A tile's edge is taken apart or has two axes; a line's length has not.
  for (std::size_t i = kernel.first; i + 1 < kernel.last; ++i) {
    if ((tokens[i].is("%") || tokens[i].is("/")) && tokens[i + 1].is(parameter.name)) return "32";
  }
  if (!is_plane && any({"thread", "block", "tpb", "size"})) return "256";
  return "16";
}

// What must hold where each thread of a line of them fills one element of every tile:
//   tile[threadIdx.x] = ...              tiles that are as long as the block
//   row = threadIdx.x / WIDE; row * EACH  and rows of a block, blockIdx.y * ROWS, that it covers
class FilledTiles {
 public:
  explicit FilledTiles(const Tokens& body) : body_(body) {
    for (std::size_t i = 0; i + 4 < body_.size(); ++i) {
      const bool is_index = body_[i + 1].is("=") && body_[i + 2].is("threadIdx") &&
                            body_[i + 3].is(".") && body_[i + 4].is("x");
      const bool ends = i + 5 < body_.size() && (body_[i + 5].is(";") || body_[i + 5].is(","));
      if (is_index && ends) thread_ = body_[i].text;
    }
  }

  [[nodiscard]] std::vector<std::string> conditions() const {
    if (thread_.empty()) return {};
    std::vector<std::string> all;
    std::string block;
    for (std::size_t i = 0; i + 3 < body_.size(); ++i) {
      if (!body_[i].is("__shared__") || !body_[i + 3].is("[")) continue;
      const std::size_t close = closing_bracket(body_, i + 3, body_.size());
      if (close + 1 >= body_.size() || body_[close + 1].is("[")) continue;  // of two axes
      if (!is_filled(body_[i + 2].text)) continue;
      const std::string length = "(" + joined(body_, i + 4, close) + ")";
      all.push_back(length + " <= 1024");
      if (!block.empty()) all.push_back(block + " == " + length);
      block = length;
    }
    const auto [row, wide] = rows_of_threads();
    const std::string each = factor_of(row);
    const std::string rows = rows_of_block();
    if (!block.empty() && !each.empty() && !rows.empty()) {
      all.push_back(block + " / " + wide + " * " + each + " == " + rows);
    }
    return all;
  }

 private:
  // name[thread] = ...
  [[nodiscard]] bool is_filled(std::string_view name) const {
    for (std::size_t i = 0; i + 4 < body_.size(); ++i) {
      if (body_[i].is(name) && body_[i + 1].is("[") && body_[i + 2].is(thread_) &&
          body_[i + 3].is("]") && body_[i + 4].is("=")) {
        return true;
      }
    }
    return false;
  }

  // row = thread / WIDE
  [[nodiscard]] std::pair<std::string_view, std::string> rows_of_threads() const {
    for (std::size_t i = 0; i + 4 < body_.size(); ++i) {
      if (body_[i + 1].is("=") && body_[i + 2].is(thread_) && body_[i + 3].is("/")) {
        return {body_[i].text, std::string(body_[i + 4].text)};
      }
    }
    return {};
  }

  // row * EACH
  [[nodiscard]] std::string factor_of(std::string_view row) const {
    for (std::size_t i = 0; !row.empty() && i + 2 < body_.size(); ++i) {
      if (body_[i].is(row) && body_[i + 1].is("*")) return std::string(body_[i + 2].text);
    }
    return {};
  }

  // blockIdx.y * ROWS
  [[nodiscard]] std::string rows_of_block() const {
    for (std::size_t i = 0; i + 4 < body_.size(); ++i) {
      if (body_[i].is("blockIdx") && body_[i + 2].is("y") && body_[i + 3].is("*")) {
        return std::string(body_[i + 4].text);
      }
    }
    return {};
  }

  const Tokens& body_;
  std::string_view thread_;  // the variable that threadIdx.x is put into; empty: none
};

// Numbers of a template that were made up, changed until the kernel's static_asserts hold and its
// tiles are filled.
class AssertedNumbers {
 public:
  AssertedNumbers(const Tokens& tokens, const Declaration& kernel, const ParameterSet& constants)
      : body_(tokens.begin() + static_cast<std::ptrdiff_t>(kernel.first),
              tokens.begin() + static_cast<std::ptrdiff_t>(kernel.last)),
        constants_(constants) {
    for (std::size_t i = 0; i + 1 < body_.size(); ++i) {
      if (!body_[i].is("static_assert") || !body_[i + 1].is("(")) continue;
      const std::size_t close = closing_bracket(body_, i + 1, body_.size());
      std::size_t end = i + 2;
      for (int depth = 0; end < close && (depth > 0 || !body_[end].is(",")); ++end) {
        depth += body_[end].is("(") ? 1 : body_[end].is(")") ? -1 : 0;
      }
      conditions_.push_back(joined(body_, i + 2, end));
    }
    std::ranges::move(FilledTiles(body_).conditions(), std::back_inserter(conditions_));
    // const int threads = WIDTH / EACH; is meant to be one at least.
    for (std::size_t i = 0; i + 4 < body_.size(); ++i) {
      const bool is_quotient = body_[i].is("=") && is_word(body_[i + 1]) && body_[i + 2].is("/") &&
                               is_word(body_[i + 3]) && body_[i + 4].is(";");
      if (is_quotient)
        conditions_.push_back(fmt::format("{} >= {}", body_[i + 1].text, body_[i + 3].text));
    }
  }

  // `made_up`: names in `numbers` that may change.
  void fit(const std::vector<std::string>& made_up, ParameterSet* numbers) const {
    std::array<std::int64_t, 10> usual{1, 2, 4, 8, 16, 32, 64, 128, 256, 0};
    constexpr int kRounds = 3;  // one number may need another
    std::size_t broken = broken_by(*numbers);
    for (int round = 0; round < kRounds && broken > 0; ++round) {
      for (const std::string& name : made_up) {
        std::int64_t best = (*numbers)[name];
        std::ranges::stable_sort(usual, {}, [near = best](std::int64_t value) {
          return std::max(value, near) / std::max<std::int64_t>(std::min(value, near), 1);
        });
        for (const std::int64_t value : usual) {
          (*numbers)[name] = value;
          const std::size_t now = broken_by(*numbers);
          if (now < broken) {
            broken = now;
            best = value;
          }
        }
        (*numbers)[name] = best;
      }
    }
  }

 private:
  // What cannot be evaluated counts as held.
  [[nodiscard]] std::size_t broken_by(const ParameterSet& numbers) const {
    if (conditions_.empty()) return 0;
    ParameterSet given = numbers;
    given.insert(constants_.begin(), constants_.end());
    const ParameterSet all = find_constants(body_, std::move(given));
    return static_cast<std::size_t>(
        std::ranges::count_if(conditions_, [&](const std::string& condition) {
          const auto holds = evaluate_expression(condition, all);
          return holds && *holds == 0;
        }));
  }

  Tokens body_;
  const ParameterSet& constants_;
  std::vector<std::string> conditions_;
};

}  // namespace

std::vector<TemplateParameter> template_parameters(const std::string& source,
                                                   std::string_view kernel) {
  const Tokens tokens = tokenize(source);
  const auto declaration = declaration_of(tokens, kernel);
  std::vector<TemplateParameter> parameters;
  if (!declaration || !declaration->is_template) return parameters;
  const auto is_concept = [&](std::string_view name) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i].is("concept") && tokens[i + 1].is(name)) return true;
    }
    return false;
  };
  std::size_t at = declaration->first;
  while (at < declaration->last && !tokens[at].is("template")) ++at;
  int depth = 0;
  int parentheses = 0;  // in which < and > compare
  bool in_default = false;
  TemplateParameter next;
  for (++at; at < declaration->last; ++at) {
    const CudaToken& token = tokens[at];
    parentheses += token.is("(") ? 1 : token.is(")") ? -1 : 0;
    if (parentheses == 0 && depth == 1 && (token.is(",") || token.is(">"))) {
      if (!next.name.empty()) parameters.push_back(next);
      next = {};
      in_default = false;
    }
    if (parentheses == 0 && token.is("<") && ++depth == 1) continue;
    if (parentheses == 0 && token.is(">") && --depth == 0) break;
    if (depth == 1 && token.is("=")) {
      in_default = true;
    } else if (in_default) {
      next.argument += std::string(token.text);
    } else if (is_word(token) && depth == 1) {
      next.is_type |= token.is("typename") || token.is("class") || is_concept(token.text);
      next.is_bool |= token.is("bool");
      next.is_whole |= is_whole_type(token.text);
      next.name = token.text;
    }
  }
  return parameters;
}

std::string guessed_template_arguments(const std::string& source, const KernelSignature& signature,
                                       const LaunchedTemplate& launched,
                                       const ParameterSet& constants) {
  const std::vector<TemplateParameter> parameters = template_parameters(source, signature.name);
  if (parameters.empty()) return {};
  const Tokens tokens = tokenize(source);
  const auto declaration = declaration_of(tokens, signature.name);
  std::vector<std::string> given =
      template_list(launched.arguments.empty() ? instantiated_arguments(tokens, signature.name)
                                               : launched.arguments);
  for (std::string& each : given) each = with_known_names(tokens, constants, each);
  std::vector<std::string> arguments;
  std::vector<std::string> made_up;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const TemplateParameter& parameter = parameters[i];
    std::string argument;
    if (i < given.size()) {
      const auto value = evaluate_expression(given[i], constants);
      const bool known_type = parameter.is_type && element_type(plain_type(given[i])).has_value();
      const bool word = given[i] == "true" || given[i] == "false";
      const Tokens written = tokenize(given[i]);
      const bool own =
          parameter.is_type && !written.empty() &&
          (written.size() > 2 || declares_type(tokens, written[0].text));  // a::B, B<16>
      // A function that the kernel calls.
      const bool function = !parameter.is_type && !value && written.size() == 1 &&
                            declares_function(tokens, given[i]);
      if (known_type || word || own || function) argument = given[i];
      if (!parameter.is_type && value) argument = std::to_string(*value);
    }
    if (argument.empty() && parameter.is_type) {
      for (std::size_t p = 0; p < signature.parameters.size(); ++p) {
        const ParameterText& taken = signature.parameters[p];
        const bool deduced = !taken.member && plain_type(taken.type) == parameter.name &&
                             p < launched.call_arguments.size();
        if (!deduced) continue;
        if (!taken.is_pointer) argument = object_type(tokens, launched.call_arguments[p]);
        if (argument.empty()) argument = declared_type(tokens, launched.call_arguments[p]);
        if (!argument.empty()) break;
      }
    }
    if (argument.empty() && !parameter.argument.empty()) {
      const auto value = evaluate_expression(parameter.argument, constants);
      argument = value ? std::to_string(*value) : parameter.argument;
    }
    if (argument.empty()) {
      argument = parameter.is_type
                     ? "float"
                     : usual_number(parameter, tokens, *declaration, signature.is_plane);
      if (!parameter.is_type && !parameter.is_bool) made_up.push_back(parameter.name);
    }
    arguments.push_back(std::move(argument));
  }
  ParameterSet numbers;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto value = evaluate_expression(arguments[i], {});
    if (value && !parameters[i].is_type) numbers[parameters[i].name] = *value;
  }
  AssertedNumbers(tokens, *declaration, constants).fit(made_up, &numbers);
  std::string text;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool changes = std::ranges::find(made_up, parameters[i].name) != made_up.end();
    text += (i == 0 ? "<" : ", ") +
            (changes ? std::to_string(numbers[parameters[i].name]) : arguments[i]);
  }
  return text + ">";
}

namespace {

// The type of a parameter with the template's arguments in it: "Matrix<float>" of "Matrix<T>".
std::string type_in(const std::string& type, const std::vector<TemplateParameter>& parameters,
                    const std::vector<std::string>& given) {
  std::string text;
  for (const CudaToken& token : tokenize(type)) {
    std::string word(token.text);
    for (std::size_t i = 0; i < std::min(parameters.size(), given.size()); ++i) {
      if (token.is(parameters[i].name)) word = given[i];
    }
    text += (is_word(token) && !text.empty() && is_word(tokenize(text).back()) ? " " : "") + word;
  }
  return text;
}

}  // namespace

void set_template_types(const std::string& source, const std::string& arguments,
                        KernelSignature* signature) {
  const std::vector<TemplateParameter> parameters = template_parameters(source, signature->name);
  const std::vector<std::string> given = template_list(arguments);
  const Tokens tokens = tokenize(source);
  const ParameterSet constants = find_constants(tokens);
  const TypeAliases aliases = find_aliases(tokens);
  const StructureTable structures(tokens, constants, aliases);
  std::vector<ParameterText> all;
  ParameterIndex position;
  for (ParameterText& parameter : signature->parameters) {
    const std::uint32_t index = position.next(parameter.member);
    const std::string type = type_in(parameter.type, parameters, given);
    if (!parameter.element) {
      const std::string plain = plain_type(type);
      parameter.element = parameter.is_pointer ? element_type(plain) : number_type(plain);
    }
    const bool is_known = parameter.element || parameter.is_pointer || parameter.member;
    const auto layout = is_known ? std::nullopt : structures.find(type);
    if (layout && !layout->fields.empty()) {
      std::ranges::move(members_of(parameter, index, *layout), std::back_inserter(all));
    } else {
      all.push_back(std::move(parameter));
    }
  }
  signature->parameters = std::move(all);
}

}  // namespace tilescope
