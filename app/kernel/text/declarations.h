#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/text/cuda_lexer.h"

namespace tilescope {

// A declaration at namespace level or in a class, as far as it has to be told apart here.
struct Declaration {
  enum class Kind : std::uint8_t {
    kOther,     // variable, alias, using, static_assert, prototype, explicit instantiation ...
    kFunction,  // with its body
    kClass,     // with its body; members below
  };
  Kind kind = Kind::kOther;
  std::size_t first = 0;  // token indices [first, last)
  std::size_t last = 0;
  std::uint32_t first_line = 0;
  std::uint32_t last_line = 0;
  std::string name;   // of a function, class or kernel prototype; empty where there is none
  std::string scope;  // "outer::inner", empty at the top
  bool is_template = false;
  bool is_kernel = false;  // __global__, also a prototype's
  bool is_device = false;  // __global__, __device__, __constant__ ..., or constexpr: NVRTC needs it
  std::vector<Declaration> members;
};

// What stands at namespace level in a CUDA file. Namespaces and extern "C" blocks are entered,
// macros that stand for __device__ and its like are followed. Robust rather than exact: code that
// C++'s grammar would need a compiler for ends up in a neighbouring declaration.
[[nodiscard]] std::vector<Declaration> find_declarations(const std::vector<CudaToken>& tokens);

// Names of the __global__ functions of a CUDA file, in order; templates included.
[[nodiscard]] std::vector<std::string> find_kernels(const std::string& cuda_source);

// Whether the file is a whole program: it has a main() with its body.
[[nodiscard]] bool has_main(const std::string& cuda_source);

}  // namespace tilescope
