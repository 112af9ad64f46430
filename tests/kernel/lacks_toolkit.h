#pragma once
#include <algorithm>
#include <array>
#include <string_view>

#include "kernel/compile/nvcc.h"

namespace tilescope {

// Whether there is no nvcc, and a message is about what a CUDA toolkit brings (nvcc, headers of
// cuRAND and cuBLAS) and NVIDIA's packages of the compiler alone do not: the test is to be skipped.
inline bool lacks_toolkit(std::string_view message) {
  constexpr std::array<std::string_view, 3> kWords = {
      "cannot open source file \"curand", "<cublas_v2.h> was not found", "install CUDA's nvcc"};
  return !nvcc() && std::ranges::any_of(kWords, [&](std::string_view words) {
    return message.find(words) != std::string_view::npos;
  });
}

}  // namespace tilescope
