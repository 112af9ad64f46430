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
#include "kernel/source/made_up_arguments.h"
#include "kernel/source/structure_layout.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

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

// "<float, 16>" of what begins with < behind the token at `i`.
std::string list_behind(const Tokens& tokens, std::size_t i) {
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

// "<float>" of "template <> __global__ void kernel<float>(...) {": no other has a body; empty: the
// declaration is no specialisation.
std::string specialised_arguments(const Tokens& tokens, const Declaration& declaration) {
  if (declaration.is_template || !tokens[declaration.first].is("template")) return {};
  for (std::size_t i = declaration.first; i + 1 < declaration.last; ++i) {
    if (tokens[i].is(declaration.name) && tokens[i + 1].is("<")) return list_behind(tokens, i);
  }
  return {};
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
    return list_behind(tokens, i);
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

// Whether a function's parameters, which follow `at`, are declared with the type: "T* a", "T b".
bool declares_with(const Tokens& tokens, std::size_t at, std::size_t last, std::string_view type) {
  int depth = 0;
  for (; at + 1 < last && !tokens[at].is("{"); ++at) {
    depth += tokens[at].is("(") ? 1 : tokens[at].is(")") ? -1 : 0;
    const CudaToken& next = tokens[at + 1];
    const bool declares = is_word(next) || next.is("*") || next.is("&");
    if (depth == 1 && tokens[at].is(type) && declares) return true;
  }
  return false;
}

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
      next.type = std::exchange(next.name, std::string(token.text));
    }
  }
  // A concept of a header that is not here: T of "const T* values" can be nothing but a type.
  for (TemplateParameter& parameter : parameters) {
    const bool is_open = !parameter.is_whole && !parameter.is_bool && !parameter.type.empty();
    parameter.is_type |= is_open && declares_with(tokens, at, declaration->last, parameter.name);
  }
  return parameters;
}

std::string guessed_template_arguments(const std::string& source, const KernelSignature& signature,
                                       const LaunchedTemplate& launched,
                                       const ParameterSet& constants) {
  const std::vector<TemplateParameter> parameters = template_parameters(source, signature.name);
  const Tokens tokens = tokenize(source);
  const auto declaration = declaration_of(tokens, signature.name);
  if (!declaration) return {};
  if (parameters.empty()) return specialised_arguments(tokens, *declaration);
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
      const bool enumerator = !parameter.is_type && !parameter.is_whole && !parameter.is_bool &&
                              given[i].find("::") != std::string::npos;
      // A function that the kernel calls.
      const bool function = !parameter.is_type && !value && written.size() == 1 &&
                            declares_function(tokens, given[i]);
      if (known_type || word || own || enumerator || function) argument = given[i];
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
      argument = made_up_argument(tokens, *declaration, parameter, signature.is_plane);
      const bool is_number = evaluate_expression(argument, {}).ok();
      if (!parameter.is_type && !parameter.is_bool && is_number) made_up.push_back(parameter.name);
    }
    arguments.push_back(std::move(argument));
  }
  ParameterSet numbers;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto value = evaluate_expression(arguments[i], {});
    if (value && !parameters[i].is_type) numbers[parameters[i].name] = *value;
  }
  fit_to_asserts(tokens, *declaration, constants, made_up, &numbers);
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
    if (parameter.is_pointer) {
      ParameterText named = parameter;
      named.type = type;
      parameter.behind = behind_pointer(named, structures);
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
