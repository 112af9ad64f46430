#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kernel/text/cuda_lexer.h"

namespace tilescope {

// Tokens of a text from `first` up to `last`, without it.
struct TokenRange {
  std::size_t first = 0;
  std::size_t last = 0;

  [[nodiscard]] bool empty() const { return last <= first; }
  [[nodiscard]] std::size_t size() const { return last - first; }
};

[[nodiscard]] bool is_opening(const CudaToken& token);  // ( { [
[[nodiscard]] bool is_closing(const CudaToken& token);  // ) } ]

// Whether three of a sign stand at `at`: <<< and >>>.
[[nodiscard]] bool is_three(const std::vector<CudaToken>& tokens, std::size_t at,
                            std::string_view sign);

// The pieces between commas from `first` to the bracket that is not opened there, >>> or ;. At
// least one, which may be empty.
[[nodiscard]] std::vector<TokenRange> pieces_from(const std::vector<CudaToken>& tokens,
                                                  std::size_t first);

// The arguments between < at `open` and its >; empty: none closes it.
[[nodiscard]] std::vector<TokenRange> template_pieces(const std::vector<CudaToken>& tokens,
                                                      std::size_t open);

}  // namespace tilescope
