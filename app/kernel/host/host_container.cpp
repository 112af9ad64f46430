#include "kernel/host/host_container.h"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

// Of `vector<float>` whose name is at `at`: what stands between the brackets; empty: it is none.
TokenRange template_arguments(const Tokens& tokens, std::size_t at) {
  constexpr std::array<std::string_view, 4> kNames{"vector", "array", "host_vector",
                                                   "device_vector"};
  const bool is_container = std::ranges::find(kNames, tokens[at].text) != kNames.end();
  if (!is_container || at + 1 >= tokens.size() || !tokens[at + 1].is("<")) return {};
  int depth = 0;
  for (std::size_t i = at + 1; i < tokens.size() && !tokens[i].is(";"); ++i) {
    depth += tokens[i].is("<") ? 1 : tokens[i].is(">") ? -1 : 0;
    if (depth == 0) return {at + 2, i};
  }
  return {};
}

// The container whose declaration begins the statement around `at`; its template arguments.
TokenRange declared_at(const Tokens& tokens, std::size_t at) {
  std::size_t first = at;
  while (first > 0 && !tokens[first - 1].is(";") && !tokens[first - 1].is("{") &&
         !tokens[first - 1].is("}")) {
    --first;
  }
  for (std::size_t i = first; i < at; ++i) {
    const TokenRange arguments = template_arguments(tokens, i);
    if (arguments.last > arguments.first && arguments.last < at) return arguments;
    const bool leads = tokens[i].is("const") || tokens[i].is("static") || tokens[i].is("std") ||
                       tokens[i].is("thrust") || tokens[i].is(":");
    if (!leads) return {};
  }
  return {};
}

// The first argument of NAME.resize(n); empty: it is no such call.
TokenRange resized_at(const Tokens& tokens, std::size_t at) {
  const bool calls = at + 3 < tokens.size() && tokens[at + 1].is(".") &&
                     (tokens[at + 2].is("resize") || tokens[at + 2].is("assign")) &&
                     tokens[at + 3].is("(");
  return calls ? pieces_from(tokens, at + 4).front() : TokenRange{};
}

}  // namespace

std::optional<HostContainer> container_named(const Tokens& tokens, std::string_view name,
                                             std::size_t begin, std::size_t place) {
  TokenRange extent;
  for (std::size_t i = std::min(place, tokens.size()); i-- > begin;) {
    if (!tokens[i].is(name) || i + 1 >= tokens.size()) continue;
    if (extent.last == extent.first) extent = resized_at(tokens, i);
    const TokenRange arguments = declared_at(tokens, i);
    if (arguments.last == arguments.first) continue;
    TokenRange element = arguments;
    for (std::size_t comma = arguments.first; comma < arguments.last; ++comma) {
      if (!tokens[comma].is(",")) continue;
      element.last = comma;  // std::array<int, 8>
      extent = {comma + 1, arguments.last};
    }
    const bool is_given = tokens[i + 1].is("(");
    if (extent.last == extent.first && is_given) extent = pieces_from(tokens, i + 2).front();
    if (extent.last == extent.first) return std::nullopt;
    return HostContainer{element, extent};
  }
  return std::nullopt;
}

}  // namespace tilescope
