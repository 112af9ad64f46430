#include "kernel/host_launch.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kernel/expression.h"
#include "kernel/kernel_signature.h"

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

// The pieces between commas from `first` to the bracket that is not opened there, or to >>>.
std::vector<Range> pieces(const Tokens& tokens, std::size_t first) {
  std::vector<Range> found{{first, first}};
  int depth = 0;
  for (std::size_t i = first; i < tokens.size(); ++i) {
    if (depth == 0 && (is_closing(tokens[i]) || three(tokens, i, ">"))) break;
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
std::optional<Dim3> extent_at(const Tokens& tokens, std::size_t first,
                              const ParameterSet& constants, std::vector<std::string>* text) {
  const std::vector<Range> parts = pieces(tokens, first);
  if (parts.size() > 3) return std::nullopt;
  Dim3 extent;
  const std::array<std::uint32_t*, 3> axes{&extent.x, &extent.y, &extent.z};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text->push_back(text_between(tokens, parts[i]));
    const auto value = evaluate_expression(text->back(), constants);
    if (!value || *value < 1 || *value > 1024) return std::nullopt;
    *axes[i] = static_cast<std::uint32_t>(*value);
  }
  return extent.count() <= 1024 ? std::optional(extent) : std::nullopt;
}

// A number, dim3(...), or the name of a dim3 that is declared with constants.
std::optional<Dim3> block_of(const Tokens& tokens, const Range& range,
                             const ParameterSet& constants, std::vector<std::string>* text) {
  const CudaToken& head = tokens[range.first];
  if (head.is("dim3") && range.last > range.first + 2) {
    return extent_at(tokens, range.first + 2, constants, text);
  }
  const auto number = evaluate_expression(text_between(tokens, range), constants);
  if (number && *number >= 1 && *number <= 1024) {
    *text = {text_between(tokens, range)};
    return Dim3{static_cast<std::uint32_t>(*number), 1, 1};
  }
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!tokens[i].is("dim3") || !tokens[i + 1].is(head.text)) continue;
    std::size_t open = i + 2;
    if (tokens[open].is("=")) ++open;
    if (tokens[open].is("dim3")) ++open;
    if (open < tokens.size() && is_opening(tokens[open])) {
      return extent_at(tokens, open + 1, constants, text);
    }
  }
  return std::nullopt;
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
    if (parts.size() > 1 && parts[1].last > parts[1].first) {
      launch.block = block_of(tokens, parts[1], constants, &launch.block_text);
      if (!launch.block || std::ranges::none_of(launch.block_text, names_constants)) {
        launch.block_text.clear();
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

}  // namespace tilescope
