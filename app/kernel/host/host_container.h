#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "kernel/text/cuda_lexer.h"
#include "kernel/text/token_range.h"

namespace tilescope {

// A container of the standard library's or of thrust's that host code declares, by tokens.
struct HostContainer {
  TokenRange element;  // its type
  TokenRange extent;   // how many elements it has
};

// The one of this name that is declared from `begin` up to `place`: std::vector<float> v(n),
// thrust::device_vector<int> d(n, 0), std::array<int, 8> a, and one that is resized or assigned
// before `place`. nullopt: there is none, or nothing says how many elements it has.
[[nodiscard]] std::optional<HostContainer> container_named(const std::vector<CudaToken>& tokens,
                                                           std::string_view name, std::size_t begin,
                                                           std::size_t place);

}  // namespace tilescope
