#include "kernel/kernel_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kernel/declarations.h"
#include "kernel/expression.h"
#include "kernel/ptx_signature.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

struct NamedType {
  std::string_view name;
  ElementType type;
};
constexpr std::array<NamedType, 45> kTypes{{
    {"float", ElementType::kF32},
    {"double", ElementType::kF64},
    {"half", ElementType::kF16},
    {"__half", ElementType::kF16},
    {"nv_bfloat16", ElementType::kBf16},
    {"__nv_bfloat16", ElementType::kBf16},
    {"bool", ElementType::kU8},
    {"char", ElementType::kI8},
    {"signed char", ElementType::kI8},
    {"unsigned char", ElementType::kU8},
    {"short", ElementType::kI16},
    {"unsigned short", ElementType::kU16},
    {"int", ElementType::kI32},
    {"signed", ElementType::kI32},
    {"signed int", ElementType::kI32},
    {"unsigned", ElementType::kU32},
    {"unsigned int", ElementType::kU32},
    {"long", ElementType::kI64},
    {"long int", ElementType::kI64},
    {"unsigned long", ElementType::kU64},
    {"unsigned long int", ElementType::kU64},
    {"long long", ElementType::kI64},
    {"long long int", ElementType::kI64},
    {"unsigned long long", ElementType::kU64},
    {"unsigned long long int", ElementType::kU64},
    {"int8_t", ElementType::kI8},
    {"uint8_t", ElementType::kU8},
    {"int16_t", ElementType::kI16},
    {"uint16_t", ElementType::kU16},
    {"int32_t", ElementType::kI32},
    {"uint32_t", ElementType::kU32},
    {"int64_t", ElementType::kI64},
    {"uint64_t", ElementType::kU64},
    {"size_t", ElementType::kU64},
    {"ptrdiff_t", ElementType::kI64},
    {"uchar", ElementType::kU8},
    {"ushort", ElementType::kU16},
    {"uint", ElementType::kU32},
    {"ulong", ElementType::kU64},
    {"longlong", ElementType::kI64},
    {"ulonglong", ElementType::kU64},
    {"nv_bfloat162", ElementType::kBf16},
    {"__nv_bfloat162", ElementType::kBf16},
    {"half2", ElementType::kF16},
    {"__half2", ElementType::kF16},
}};

std::optional<ElementType> number_type(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &NamedType::name);
  if (found == kTypes.end() || name.ends_with("162") || name.ends_with("half2"))
    return std::nullopt;
  return found->type;
}

// float4* is made of f32 as well.
std::optional<ElementType> element_type(std::string_view name) {
  const auto whole = std::ranges::find(kTypes, name, &NamedType::name);
  if (whole != kTypes.end()) return whole->type;
  if (name.empty() || name.back() < '1' || name.back() > '4') return std::nullopt;
  const auto part = std::ranges::find(kTypes, name.substr(0, name.size() - 1), &NamedType::name);
  return part != kTypes.end() ? std::optional(part->type) : std::nullopt;
}

std::size_t closing(const Tokens& tokens, std::size_t open, std::size_t last) {
  int depth = 0;
  for (std::size_t i = open; i < last; ++i) {
    if (tokens[i].kind != CudaTokenKind::kPunctuator) continue;
    const char c = tokens[i].text.front();
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i;
  }
  return last;
}

// Words that say nothing about the type.
bool is_decoration(std::string_view word) {
  constexpr std::array<std::string_view, 9> kWords{
      "volatile", "__restrict__",      "__restrict", "restrict", "struct",
      "typename", "__grid_constant__", "std",        "register"};
  return std::ranges::find(kWords, word) != kWords.end();
}

// A macro or alias that stands for one word, as `#define real float` and `using real = float;`.
std::string resolved(const Tokens& tokens, std::string name) {
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (tokens[i].kind == CudaTokenKind::kDirective) {
      const Tokens words = tokenize(tokens[i].text.substr(1));
      if (words.size() == 3 && words[0].is("define") && words[1].is(name)) {
        return std::string(words[2].text);
      }
    } else if (tokens[i].is("using") && tokens[i + 1].is(name) && tokens[i + 2].is("=") &&
               i + 4 < tokens.size() && tokens[i + 4].is(";")) {
      return std::string(tokens[i + 3].text);
    } else if (tokens[i].is("typedef") && tokens[i + 2].is(name)) {
      return std::string(tokens[i + 1].text);
    }
  }
  return name;
}

// tokens [first, last): "const float* __restrict__ in" without a default value.
ParameterText parameter_from(const Tokens& tokens, std::size_t first, std::size_t last) {
  ParameterText parameter;
  std::vector<std::string_view> words;
  bool is_const = false;
  for (std::size_t i = first; i < last && !tokens[i].is("="); ++i) {
    const CudaToken& token = tokens[i];
    if (token.is("*") || token.is("[")) {
      parameter.is_const = parameter.is_const || is_const;
      parameter.is_pointer = true;
    } else if (token.is("const")) {
      is_const = is_const || !parameter.is_pointer;
    } else if (token.kind == CudaTokenKind::kWord && !is_decoration(token.text)) {
      words.push_back(token.text);
    }
    if (token.is("[")) i = closing(tokens, i, last);
  }
  if (words.size() > 1) {
    parameter.name = words.back();
    words.pop_back();
  }
  const std::string type = fmt::format("{}", fmt::join(words, " "));
  parameter.type =
      fmt::format("{}{}{}", is_const ? "const " : "", type, parameter.is_pointer ? "*" : "");
  const auto known = [&](const std::string& name) {
    return parameter.is_pointer ? element_type(name) : number_type(name);
  };
  parameter.element = known(type);
  if (!parameter.element) parameter.element = known(resolved(tokens, type));
  return parameter;
}

// The list between `open` and `close`, split at its own commas.
std::vector<ParameterText> parameters_between(const Tokens& tokens, std::size_t open,
                                              std::size_t close) {
  std::vector<ParameterText> parameters;
  int depth = 0;
  std::size_t first = open + 1;
  for (std::size_t i = open + 1; i <= close; ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "(" || text == "[" || text == "<" || text == "{") ++depth;
    if ((text == ")" || text == "]" || text == ">" || text == "}") && i != close) --depth;
    if (i != close && (text != "," || depth != 0)) continue;
    const bool nothing = i == first || (i == first + 1 && tokens[first].is("void"));
    if (!nothing) parameters.push_back(parameter_from(tokens, first, i));
    first = i + 1;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name.empty()) parameters[i].name = fmt::format("arg{}", i);
  }
  return parameters;
}

std::string text_between(const Tokens& tokens, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) text.append(tokens[i].text).append(" ");
  return text;
}

// __launch_bounds__(THREADS[, ...])
std::uint32_t bounds_at(const Tokens& tokens, std::size_t word, std::size_t last,
                        const ParameterSet& constants) {
  if (word + 1 >= last || !tokens[word + 1].is("(")) return 0;
  const std::size_t close = closing(tokens, word + 1, last);
  std::size_t end = word + 2;
  for (int depth = 0; end < close && (depth > 0 || !tokens[end].is(",")); ++end) {
    if (tokens[end].is("(")) ++depth;
    if (tokens[end].is(")")) --depth;
  }
  const auto threads = evaluate_expression(text_between(tokens, word + 2, end), constants);
  return threads && *threads > 0 && *threads <= 1024 ? static_cast<std::uint32_t>(*threads) : 0;
}

void note_body(const Tokens& tokens, std::size_t first, std::size_t last,
               KernelSignature* signature) {
  for (std::size_t i = first; i + 2 < last; ++i) {
    const CudaToken& token = tokens[i];
    const bool index = token.is("threadIdx") || token.is("blockIdx");
    if (index && tokens[i + 1].is(".") && tokens[i + 2].is("y")) signature->is_plane = true;
    if (!token.is("extern")) continue;
    std::size_t end = i;
    while (end < last && !tokens[end].is("[") && !tokens[end].is(";")) ++end;
    const bool shared = std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                    tokens.begin() + static_cast<std::ptrdiff_t>(end),
                                    [](const CudaToken& word) { return word.is("__shared__"); });
    if (!shared) continue;
    std::string type;
    for (std::size_t word = i + 1; word + 1 < end; ++word) {
      if (element_type(tokens[word].text)) type = tokens[word].text;
    }
    signature->dynamic_shared = element_type(type).value_or(ElementType::kF32);
  }
}

KernelSignature signature_of(const Tokens& tokens, const Declaration& declaration,
                             const ParameterSet& constants) {
  KernelSignature signature;
  signature.name =
      declaration.scope.empty() ? declaration.name : declaration.scope + "::" + declaration.name;
  signature.is_template = declaration.is_template;
  for (std::size_t i = declaration.first; i + 1 < declaration.last; ++i) {
    if (tokens[i].is("__launch_bounds__")) {
      signature.most_threads = bounds_at(tokens, i, declaration.last, constants);
    }
    if (!tokens[i].is(declaration.name) || !tokens[i + 1].is("(")) continue;
    const std::size_t close = closing(tokens, i + 1, declaration.last);
    if (close == declaration.last) break;
    signature.parameters = parameters_between(tokens, i + 1, close);
    note_body(tokens, close, declaration.last, &signature);
    break;
  }
  return signature;
}

}  // namespace

ParameterSet find_constants(const Tokens& tokens) {
  ParameterSet constants;
  const auto note = [&](std::string_view name, const std::string& expression) {
    if (const auto value = evaluate_expression(expression, constants)) {
      constants.try_emplace(std::string(name), *value);
    }
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == CudaTokenKind::kDirective) {
      const Tokens words = tokenize(tokens[i].text.substr(1));
      if (words.size() >= 3 && words[0].is("define")) {
        note(words[1].text, text_between(words, 2, words.size()));
      }
    } else if (i > 0 && i + 1 < tokens.size() && tokens[i].kind == CudaTokenKind::kWord &&
               tokens[i + 1].is("=") && number_type(tokens[i - 1].text)) {
      std::size_t end = i + 2;
      while (end < tokens.size() && !tokens[end].is(";") && !tokens[end].is(",")) ++end;
      note(tokens[i].text, text_between(tokens, i + 2, end));
    }
  }
  return constants;
}

std::vector<KernelSignature> find_signatures(const std::string& path, const std::string& source) {
  if (path.ends_with(".ptx")) return find_ptx_signatures(source);
  const Tokens tokens = tokenize(source);
  const ParameterSet constants = find_constants(tokens);
  std::vector<KernelSignature> signatures;
  for (const Declaration& declaration : find_declarations(tokens)) {
    if (!declaration.is_kernel || declaration.kind != Declaration::Kind::kFunction) continue;
    signatures.push_back(signature_of(tokens, declaration, constants));
  }
  return signatures;
}

}  // namespace tilescope
