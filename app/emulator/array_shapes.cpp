#include "emulator/array_shapes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "core/expression.h"
#include "emulator/program_implementation.h"
#include "kernel/text/cuda_lexer.h"

namespace tilescope {
namespace {

struct Declarator {
  std::string name;
  std::uint64_t element_bytes = 0;  // 0: a type that is not known
  std::vector<std::string> extents;
};

std::uint64_t size_of_type(const std::string& word) {
  static const std::map<std::string, std::uint64_t> kSizes{
      {"char", 1},   {"bool", 1},     {"int8_t", 1},  {"uint8_t", 1},  {"short", 2},
      {"half", 2},   {"__half", 2},   {"int16_t", 2}, {"uint16_t", 2}, {"__nv_bfloat16", 2},
      {"int", 4},    {"unsigned", 4}, {"float", 4},   {"int32_t", 4},  {"uint32_t", 4},
      {"uint", 4},   {"half2", 4},    {"double", 8},  {"long", 8},     {"int64_t", 8},
      {"size_t", 8}, {"uint64_t", 8}, {"float2", 8},  {"int2", 8},     {"float4", 16},
      {"int4", 16},  {"uint4", 16},   {"double2", 16}};
  const auto found = kSizes.find(word);
  return found == kSizes.end() ? 0 : found->second;
}

// The declarators between __shared__ and the semicolon.
std::vector<Declarator> declarators_at(const std::vector<CudaToken>& tokens, std::size_t at) {
  std::vector<Declarator> found;
  Declarator current;
  std::uint64_t type = 0;
  int depth = 0;  // in parentheses or angle brackets
  for (; at < tokens.size() && !tokens[at].is(";") && !tokens[at].is("="); ++at) {
    const CudaToken& token = tokens[at];
    if (token.is("(") || token.is("<")) ++depth;
    if (token.is(")") || token.is(">")) --depth;
    if (depth > 0) continue;
    if (token.is("[")) {
      std::string extent;
      for (++at; at < tokens.size() && !tokens[at].is("]"); ++at)
        extent += std::string(tokens[at].text) + " ";
      current.extents.push_back(extent);
    } else if (token.is(",")) {
      found.push_back(current);
      current = {};
    } else if (token.kind == CudaTokenKind::kWord) {
      const std::string word(token.text);
      const std::uint64_t bytes = size_of_type(word);
      if (bytes != 0 && (type == 0 || word != "int")) type = bytes;
      current.name = word;
    }
    current.element_bytes = type;
  }
  found.push_back(current);
  return found;
}

// `#define TILE 32` and `constexpr int kTile = 32;`, as far as they are whole numbers.
ParameterSet constants_of(const std::vector<CudaToken>& tokens) {
  ParameterSet constants;
  const auto add = [&](const std::string& name, const std::string& text) {
    const auto value = evaluate_expression(text, constants);
    if (value) constants.emplace(name, *value);
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == CudaTokenKind::kDirective) {
      const std::vector<CudaToken> words = tokenize(tokens[i].text.substr(1));
      if (words.size() < 3 || !words[0].is("define")) continue;
      const auto value = static_cast<std::size_t>(words[2].text.data() - tokens[i].text.data());
      add(std::string(words[1].text), std::string(tokens[i].text.substr(value)));
    } else if (tokens[i].is("constexpr") || tokens[i].is("const")) {
      std::size_t equals = i;
      while (equals < tokens.size() && equals < i + 6 && !tokens[equals].is("=")) ++equals;
      if (equals >= tokens.size() || !tokens[equals].is("=")) continue;
      std::string text;
      for (std::size_t at = equals + 1; at < tokens.size() && !tokens[at].is(";"); ++at)
        text += std::string(tokens[at].text) + " ";
      add(std::string(tokens[equals - 1].text), text);
    }
  }
  return constants;
}

std::optional<std::vector<std::uint64_t>> values_of(const std::vector<Expression>& extents,
                                                    const ParameterSet& constants) {
  std::vector<std::uint64_t> values;
  for (const Expression& extent : extents) {
    const auto value = extent.evaluate(constants);
    if (!value || *value <= 0) return std::nullopt;
    values.push_back(static_cast<std::uint64_t>(*value));
  }
  return values;
}

std::uint64_t product(const std::vector<std::uint64_t>& values) {
  std::uint64_t all = 1;
  for (const std::uint64_t value : values) all *= value;
  return all;
}

void fit(const Declarator& declarator, const ParameterSet& constants, PlacedVariable& variable) {
  std::vector<Expression> extents;
  for (const std::string& text : declarator.extents) {
    auto extent = Expression::parse(text);
    if (!extent) return;
    extents.push_back(*std::move(extent));
  }
  const auto agrees = [&](const std::vector<std::uint64_t>& values) {
    return product(values) * declarator.element_bytes == variable.bytes;
  };
  auto values = values_of(extents, constants);
  if (values && declarator.element_bytes == 0 && variable.bytes % product(*values) == 0) {
    variable.extents = *values;
    variable.element_bytes = variable.bytes / product(*values);
    return;
  }
  if (declarator.element_bytes == 0) return;
  if (!values || !agrees(*values)) {
    // One name has a value that the source does not say.
    values.reset();
    for (const Expression& extent : extents) {
      for (const std::string& name : extent.variables()) {
        for (std::int64_t guess = 1; guess <= 1024 && !values; ++guess) {
          ParameterSet guessed = constants;
          guessed[name] = guess;
          values = values_of(extents, guessed);
          if (values && !agrees(*values)) values.reset();
        }
      }
    }
  }
  if (!values) return;
  variable.extents = *values;
  variable.element_bytes = declarator.element_bytes;
}

}  // namespace

void find_array_shapes(std::string_view source, std::vector<PlacedVariable>& variables) {
  if (variables.empty() || source.find("__shared__") == std::string_view::npos) return;
  const std::vector<CudaToken> tokens = tokenize(source);
  const ParameterSet constants = constants_of(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__shared__")) continue;
    for (const Declarator& declarator : declarators_at(tokens, i + 1)) {
      for (PlacedVariable& variable : variables) {
        if (variable.name != declarator.name || !variable.extents.empty()) continue;
        if (variable.bytes == 0) {  // dynamic
          variable.element_bytes = declarator.element_bytes;
        } else if (!declarator.extents.empty()) {
          fit(declarator, constants, variable);
        }
      }
    }
  }
}

std::vector<SharedVariable> shared_variables(const Program& program) {
  std::vector<SharedVariable> variables;
  for (const PlacedVariable& variable : program.implementation().code().shared_variables) {
    variables.push_back({variable.name, variable.offset, variable.bytes});
  }
  return variables;
}

}  // namespace tilescope
