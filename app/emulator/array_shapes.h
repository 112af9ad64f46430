#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/code.h"

namespace tilescope {

class Program;

// An array in shared memory that a kernel uses, itself or in a function that it calls.
struct SharedVariable {
  std::string name;          // as the source calls it: "tile"
  std::uint64_t offset = 0;  // bytes into the block's shared memory
  std::uint64_t bytes = 0;   // 0: extern, as large as the launch says
};
[[nodiscard]] std::vector<SharedVariable> shared_variables(const Program& program);

// Finds the extents and the element size of shared arrays in the CUDA source that they come from:
// `__shared__ float tile[TILE][TILE + 1]`. PTX has only their bytes, which an extent must agree
// with; names that stand for numbers are looked up in the source's macros and constants, and one
// name that has another value (a macro of the command line) is solved for. What cannot be told
// stays empty.
void find_array_shapes(std::string_view source, std::vector<PlacedVariable>& variables);

}  // namespace tilescope
