#include "kernel/text/token_range.h"

namespace tilescope {

using Tokens = std::vector<CudaToken>;

bool is_opening(const CudaToken& token) { return token.is("(") || token.is("{") || token.is("["); }
bool is_closing(const CudaToken& token) { return token.is(")") || token.is("}") || token.is("]"); }

bool is_three(const Tokens& tokens, std::size_t at, std::string_view sign) {
  return at + 2 < tokens.size() && tokens[at].is(sign) && tokens[at + 1].is(sign) &&
         tokens[at + 2].is(sign);
}

std::vector<TokenRange> pieces_from(const Tokens& tokens, std::size_t first) {
  std::vector<TokenRange> found{{first, first}};
  int depth = 0;
  for (std::size_t i = first; i < tokens.size(); ++i) {
    if (depth == 0 && (is_closing(tokens[i]) || is_three(tokens, i, ">") || tokens[i].is(";")))
      break;
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

std::vector<TokenRange> template_pieces(const Tokens& tokens, std::size_t open) {
  std::vector<TokenRange> found{{open + 1, open + 1}};
  int depth = 0;
  for (std::size_t i = open + 1; i < tokens.size() && !tokens[i].is(";"); ++i) {
    if (tokens[i].is(">") && depth == 0) return found;
    depth += tokens[i].is("<") || tokens[i].is("(") ? 1 : 0;
    depth -= tokens[i].is(">") || tokens[i].is(")") ? 1 : 0;
    if (depth == 0 && tokens[i].is(",")) {
      found.push_back({i + 1, i + 1});
    } else {
      found.back().last = i + 1;
    }
  }
  return {};
}

}  // namespace tilescope
