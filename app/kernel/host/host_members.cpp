#include "kernel/host/host_members.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/host/host_names.h"
#include "kernel/source/structure_layout.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

constexpr int kMostCalls = 8;  // that hand a structure on

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

// The members that a list in braces from `first` gives to a structure of this type, in turn.
void read_list(const HostCode& code, std::string_view type, std::size_t first, std::size_t place,
               HostMembers* found) {
  const Tokens& tokens = code.tokens();
  const auto layout = code.structures().find(type);
  if (!layout) return;
  std::size_t field = 0;
  for (std::size_t i = first; field < layout->fields.size() && i < tokens.size();) {
    if (tokens[i].is("{")) {  // of a structure in the structure
      ++i;
      continue;
    }
    if (tokens[i].is(";")) return;
    const TokenRange piece = pieces_from(tokens, i).front();
    if (piece.last > piece.first && code.names().can_be_read(piece)) {
      found->values.try_emplace(layout->fields[field].name, code.number(piece, place));
    }
    i = piece.last;
    if (piece.last > piece.first) ++field;
    while (i < tokens.size() && (tokens[i].is("}") || tokens[i].is(","))) ++i;
  }
}

HostMembers members_of(const HostCode& code, const TokenRange& range, std::size_t place,
                       int depth) {
  HostMembers found;
  const Tokens& tokens = code.tokens();
  if (range.last != range.first + 1 || depth > kMostCalls) return found;
  const CudaToken& name = tokens[range.first];
  if (name.kind != CudaTokenKind::kWord) return found;
  for (std::size_t i = std::min(place, tokens.size()); i-- > code.names().begin_of(place) + 1;) {
    if (!tokens[i].is(name.text) || tokens[i - 1].is(".") || i + 2 >= tokens.size()) continue;
    std::string path;
    const std::size_t behind = read_path(tokens, i + 1, &path);
    if (behind + 1 >= tokens.size()) continue;
    if (!path.empty() && tokens[behind].is("=") && !tokens[behind + 1].is("=")) {
      const TokenRange value = last_value(tokens, pieces_from(tokens, behind + 1).front());
      if (code.names().can_be_read(value)) found.values.try_emplace(path, code.number(value, i));
    } else if (!path.empty() && tokens[behind].is(",")) {  // cudaMalloc(&m.cells, bytes)
      std::size_t open = i;
      while (open > 0 && !tokens[open].is("(") && !tokens[open].is(";")) --open;
      while (open > 1 && tokens[open].is("(") && !tokens[open - 1].text.starts_with("cudaMalloc"))
        --open;
      if (open == 0 || !tokens[open - 1].text.starts_with("cudaMalloc")) continue;
      if (const auto bytes = code.value(pieces_from(tokens, behind + 1).front(), i))
        found.bytes.try_emplace(path, *bytes);
    } else if (path.empty()) {
      const std::size_t open = tokens[behind].is("=") ? behind + 1 : behind;
      const bool is_declared = tokens[i - 1].kind == CudaTokenKind::kWord;
      if (is_declared && tokens[open].is("{"))
        read_list(code, tokens[i - 1].text, open + 1, i, &found);
    }
  }
  const auto given = code.names().given_value(name.text, place);
  if (!given) return found;
  HostMembers callers = members_of(code, *given, given->first, depth + 1);
  found.values.merge(callers.values);
  found.bytes.merge(callers.bytes);
  return found;
}

}  // namespace

HostMembers members_of(const HostCode& code, const TokenRange& range, std::size_t place) {
  return members_of(code, range, place, 0);
}

}  // namespace tilescope
