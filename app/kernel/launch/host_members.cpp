// What host code puts into structures that it hands to a kernel by value.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/launch/host_code.h"

namespace tilescope {
namespace {

// Behind "a.b" at `at`, with the path in it.
std::size_t read_path(const std::vector<CudaToken>& tokens, std::size_t at, std::string* path) {
  while (at + 1 < tokens.size() && tokens[at].is(".") &&
         tokens[at + 1].kind == CudaTokenKind::kWord) {
    *path += (path->empty() ? "" : ".") + std::string(tokens[at + 1].text);
    at += 2;
  }
  return at;
}

// Of a = b = 5 the 5.
TokenRange last_value(const std::vector<CudaToken>& tokens, TokenRange range) {
  for (std::size_t i = range.last; i-- > range.first + 1;) {
    const bool assigns = tokens[i].is("=") && !tokens[i - 1].is("=") && !tokens[i - 1].is("<") &&
                         !tokens[i - 1].is(">") && !tokens[i - 1].is("!");
    if (assigns) return {i + 1, range.last};
  }
  return range;
}

}  // namespace

HostMembers HostCode::members(const TokenRange& range, std::size_t place, int depth) const {
  HostMembers found;
  if (range.last != range.first + 1 || depth > kDeepest) return found;
  const CudaToken& name = tokens_[range.first];
  if (name.kind != CudaTokenKind::kWord) return found;
  for (std::size_t i = std::min(place, tokens_.size()); i-- > begin_of(place) + 1;) {
    if (!tokens_[i].is(name.text) || tokens_[i - 1].is(".") || i + 2 >= tokens_.size()) continue;
    std::string path;
    const std::size_t behind = read_path(tokens_, i + 1, &path);
    if (behind + 1 >= tokens_.size()) continue;
    if (!path.empty() && tokens_[behind].is("=") && !tokens_[behind + 1].is("=")) {
      const TokenRange value = last_value(tokens_, pieces_from(tokens_, behind + 1).front());
      if (can_be_read(value)) found.values.try_emplace(path, number(value, i));
    } else if (!path.empty() && tokens_[behind].is(",")) {  // cudaMalloc(&m.cells, bytes)
      std::size_t open = i;
      while (open > 0 && !tokens_[open].is("(") && !tokens_[open].is(";")) --open;
      while (open > 1 && tokens_[open].is("(") && !tokens_[open - 1].text.starts_with("cudaMalloc"))
        --open;
      if (open == 0 || !tokens_[open - 1].text.starts_with("cudaMalloc")) continue;
      if (const auto bytes = value(pieces_from(tokens_, behind + 1).front(), i))
        found.bytes.try_emplace(path, *bytes);
    } else if (path.empty()) {
      const std::size_t open = tokens_[behind].is("=") ? behind + 1 : behind;
      const bool is_declared = tokens_[i - 1].kind == CudaTokenKind::kWord;
      if (is_declared && tokens_[open].is("{")) read_list(tokens_[i - 1].text, open + 1, i, &found);
    }
  }
  const auto given = given_value(name.text, place, false);
  if (!given) return found;
  HostMembers callers = members(*given, given->first, depth + 1);
  found.values.merge(callers.values);
  found.bytes.merge(callers.bytes);
  return found;
}

void HostCode::read_list(std::string_view type, std::size_t first, std::size_t place,
                         HostMembers* found) const {
  const auto layout = structures_.find(type);
  if (!layout) return;
  std::size_t field = 0;
  for (std::size_t i = first; field < layout->fields.size() && i < tokens_.size();) {
    if (tokens_[i].is("{")) {  // of a structure in the structure
      ++i;
      continue;
    }
    if (tokens_[i].is(";")) return;
    const TokenRange piece = pieces_from(tokens_, i).front();
    if (piece.last > piece.first && can_be_read(piece)) {
      found->values.try_emplace(layout->fields[field].name, number(piece, place));
    }
    i = piece.last;
    if (piece.last > piece.first) ++field;
    while (i < tokens_.size() && (tokens_[i].is("}") || tokens_[i].is(","))) ++i;
  }
}

}  // namespace tilescope
