#include "kernel/launch/host_launch.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "kernel/catalogue/expression.h"
#include "kernel/source/kernel_signature.h"
#include "kernel/source/type_names.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
};

bool is_opening(const CudaToken& token) { return token.is("(") || token.is("{") || token.is("["); }
bool is_closing(const CudaToken& token) { return token.is(")") || token.is("}") || token.is("]"); }

bool three(const Tokens& tokens, std::size_t at, std::string_view sign) {
  return at + 2 < tokens.size() && tokens[at].is(sign) && tokens[at + 1].is(sign) &&
         tokens[at + 2].is(sign);
}

std::string text_between(const Tokens& tokens, const Range& range) {
  std::string text;
  for (std::size_t i = range.first; i < range.last; ++i) {
    if (!text.empty() && tokens[i - 1].kind == CudaTokenKind::kWord &&
        tokens[i].kind == CudaTokenKind::kWord) {
      text += ' ';
    }
    text += tokens[i].text;
    if (tokens[i].is(",")) text += ' ';
  }
  return text;
}

// The pieces between commas from `first` to the bracket that is not opened there, >>> or ;.
std::vector<Range> pieces(const Tokens& tokens, std::size_t first) {
  std::vector<Range> found{{first, first}};
  int depth = 0;
  for (std::size_t i = first; i < tokens.size(); ++i) {
    if (depth == 0 && (is_closing(tokens[i]) || three(tokens, i, ">") || tokens[i].is(";"))) break;
    if (is_opening(tokens[i])) ++depth;
    if (is_closing(tokens[i])) --depth;
    if (depth == 0 && tokens[i].is(",")) {
      found.push_back({i + 1, i + 1});
    } else {
      found.back().last = i + 1;
    }
  }
  return found;
}

bool names_constants(const std::string& expression) {
  const auto parsed = Expression::parse(expression);
  return parsed && !parsed->variables().empty();
}

// "16, 16" behind an opening bracket.
std::vector<std::string> texts_at(const Tokens& tokens, std::size_t first) {
  std::vector<std::string> texts;
  for (const Range& part : pieces(tokens, first)) texts.push_back(text_between(tokens, part));
  return texts;
}

// Where the list of a dim3's extents begins that a name is declared with, alone or beside others:
// dim3 grid(8), block = {16, 16}; nullopt: there is none.
std::optional<std::size_t> declared_extents(const Tokens& tokens, std::string_view name) {
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!tokens[i].is("dim3")) continue;
    std::size_t at = i + 1;
    int depth = 0;
    for (; at + 2 < tokens.size() && (depth > 0 || !tokens[at].is(";")); ++at) {
      if (is_opening(tokens[at])) ++depth;
      if (is_closing(tokens[at]) && --depth < 0) break;
      const bool begins = at == i + 1 || tokens[at - 1].is(",");
      if (depth > 0 || !begins || !tokens[at].is(name)) continue;
      std::size_t open = at + 1;
      if (tokens[open].is("=")) ++open;
      if (tokens[open].is("dim3")) ++open;
      if (open < tokens.size() && is_opening(tokens[open])) return open + 1;
    }
  }
  return std::nullopt;
}

// The extents of a launch, as they are written: a number, dim3(...), or the name of a dim3.
std::vector<std::string> extent_texts(const Tokens& tokens, const Range& range) {
  const CudaToken& head = tokens[range.first];
  if (head.is("dim3") && range.last > range.first + 2) return texts_at(tokens, range.first + 2);
  if (range.last == range.first + 1) {
    if (const auto list = declared_extents(tokens, head.text)) return texts_at(tokens, *list);
  }
  return {text_between(tokens, range)};
}

// Where all of them follow from constants, and are a block.
std::optional<Dim3> block_of(const std::vector<std::string>& texts, const ParameterSet& constants) {
  if (texts.size() > 3) return std::nullopt;
  Dim3 extent;
  const std::array<std::uint32_t*, 3> axes{&extent.x, &extent.y, &extent.z};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto value = evaluate_expression(texts[i], constants);
    if (!value || *value < 1 || *value > 1024) return std::nullopt;
    *axes[i] = static_cast<std::uint32_t>(*value);
  }
  return extent.count() <= 1024 ? std::optional(extent) : std::nullopt;
}

// What a variable of the host's is declared with: int blocks = (n + 255) / 256.
std::string declared_value(const Tokens& tokens, std::string_view name) {
  for (std::size_t i = 1; i + 2 < tokens.size(); ++i) {
    const bool declared =
        tokens[i].is(name) && tokens[i + 1].is("=") && number_type(tokens[i - 1].text).has_value();
    if (declared) return text_between(tokens, pieces(tokens, i + 2).front());
  }
  return {};
}

bool is_real(std::string_view text) {
  return !text.empty() && text.find('.') != std::string_view::npos &&
         text.find_first_not_of("0123456789.-f") == std::string_view::npos;
}

// What an argument is, as far as that can be read; empty: not.
std::string value_of(const Tokens& tokens, const std::string& argument,
                     const ParameterSet& constants) {
  for (const std::string& text : {argument, declared_value(tokens, argument)}) {
    if (is_real(text)) return text;
    if (const auto value = evaluate_expression(text, constants)) return std::to_string(*value);
  }
  return {};
}

}  // namespace

HostLaunch find_host_launch(const std::string& source, const std::string& kernel) {
  const Tokens tokens = tokenize(source);
  const std::size_t colons = kernel.rfind("::");
  const std::string name = colons == std::string::npos ? kernel : kernel.substr(colons + 2);
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!tokens[i].is(name)) continue;
    std::size_t sign = i + 1;
    if (tokens[sign].is("<") && !three(tokens, sign, "<")) {
      while (sign < tokens.size() && !three(tokens, sign, "<") && !tokens[sign].is(";")) ++sign;
    }
    if (!three(tokens, sign, "<")) continue;
    const ParameterSet constants = find_constants(tokens);
    const std::vector<Range> parts = pieces(tokens, sign + 3);
    HostLaunch launch;
    launch.template_arguments = text_between(tokens, {i + 1, sign});
    if (parts[0].last > parts[0].first) launch.grid_text = extent_texts(tokens, parts[0]);
    for (std::string& text : launch.grid_text) {
      if (std::string declared = declared_value(tokens, text); !declared.empty()) text = declared;
    }
    if (parts.size() > 1 && parts[1].last > parts[1].first) {
      launch.block_text = extent_texts(tokens, parts[1]);
      launch.block = block_of(launch.block_text, constants);
      if (!launch.block || std::ranges::none_of(launch.block_text, names_constants)) {
        launch.block_text.clear();
      }
    }
    std::size_t close = parts.back().last;
    while (close < tokens.size() && !tokens[close].is("(") && !tokens[close].is(";")) ++close;
    if (close < tokens.size() && tokens[close].is("(")) {
      launch.arguments = texts_at(tokens, close + 1);
      for (const std::string& argument : launch.arguments) {
        launch.argument_values.push_back(value_of(tokens, argument, constants));
      }
    }
    if (parts.size() > 2) {
      const std::string text = text_between(tokens, parts[2]);
      const auto bytes = evaluate_expression(text, constants);
      if (bytes && *bytes >= 0 && *bytes <= 1 << 20) {
        launch.dynamic_shared_bytes = static_cast<std::uint32_t>(*bytes);
        if (names_constants(text)) launch.dynamic_shared_text = text;
      }
    }
    return launch;
  }
  return {};
}

bool is_whole_number(ElementType type) {
  return type != ElementType::kF16 && type != ElementType::kBf16 && type != ElementType::kF32 &&
         type != ElementType::kF64;
}

std::string handed_value(const ParameterText& parameter, std::size_t position,
                         const HostLaunch& launched) {
  if (parameter.member || position >= launched.argument_values.size()) return {};
  const std::string& value = launched.argument_values[position];
  if (value.empty() || parameter.is_pointer || !parameter.element) return {};
  const bool real = value.find('.') != std::string::npos;
  if (is_whole_number(*parameter.element)) return real ? std::string() : value;
  return value.ends_with('f') ? value.substr(0, value.size() - 1) : value;
}

std::string launched_grid(const KernelFile& file, const KernelSignature& signature,
                          const HostLaunch& launched, const LaunchForm& form,
                          const GridBound& bound) {
  ParameterSet numbers;
  std::map<std::string, std::string> handed;  // what the host calls them
  ParameterIndex index;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const ParameterText& parameter = signature.parameters[i];
    const std::uint32_t position = index.next(parameter.member);
    if (parameter.is_pointer || !parameter.element || !is_whole_number(*parameter.element))
      continue;
    numbers[parameter.name] = std::stoll(form.arguments[i].value);
    if (parameter.member || position >= launched.arguments.size()) continue;
    // A number is no name: an equal one in the grid need not be this one.
    const std::string& given = launched.arguments[position];
    if (given.empty() || given.front() < '0' || given.front() > '9') {
      handed.emplace(given, parameter.name);
    }
  }
  const ParameterSet names = find_constants(tokenize(file.source), numbers);
  std::string grid;
  std::uint64_t blocks = 1;
  bool follows_arguments = false;
  bool follows_constants = false;
  for (const std::string& text : launched.grid_text) {
    std::string renamed;
    for (const CudaToken& token : tokenize(text)) {
      const auto name = handed.find(std::string(token.text));
      const std::string word = name != handed.end() ? name->second : std::string(token.text);
      follows_arguments |= numbers.contains(word);
      follows_constants |= names.contains(word) && !numbers.contains(word);
      const bool is_sign =
          word.size() == 1 && std::string_view("+-*/%?:<>").find(word[0]) != std::string_view::npos;
      renamed += is_sign ? " " + word + " " : word + (word == "," ? " " : "");
    }
    const auto value = evaluate_expression(renamed, names);
    if (!value || *value < 1 || *value > static_cast<std::int64_t>(bound.most_threads)) return {};
    blocks *= static_cast<std::uint64_t>(*value);
    grid += (grid.empty() ? "" : ", ") + renamed;
  }
  // Of numbers alone it is meant for a size that is not this one.
  const bool fits = blocks * bound.threads <= bound.most_threads || follows_arguments;
  return fits && (follows_arguments || follows_constants) ? grid : std::string();
}

}  // namespace tilescope
