#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/catalogue/catalogue.h"

namespace tilescope {

// What a kernel's own text says of the launch that it is written for.
struct KernelHints {
  // Threads of a block along x and y, as it is written: "TILE" of blockIdx.x * TILE + threadIdx.x,
  // "128" of a loop from threadIdx.x by 128, of cache[threadIdx.x] of 128, or of
  // assert(blockDim.x == 128), "TILE * TILE" of threadIdx.x / TILE in a tile of TILE both ways.
  // Empty: nothing says it.
  std::array<std::string, 2> threads;
  // Elements that a block covers along x and y, of blockIdx.x * TILE + threadIdx.x or
  // blockIdx.x * TILE * n; empty: nothing says it.
  std::array<std::string, 2> tile;
  bool is_line = false;  // no thread of it asks for its y, though a block may have one
  // The one of `parameters` that says how many elements each block along x has to itself: "n" of
  // blockIdx.x * n, or so many times that: 64 of blockIdx.x * n * 64. Empty: none.
  std::string row;
  std::int64_t row_times = 1;
};

// `kernel` as find_kernels() names it; `constants`: what macros and constants stand for;
// `parameters`: its whole numbers. A reading of patterns: what is written otherwise says nothing.
[[nodiscard]] KernelHints read_kernel_hints(const std::string& source, const std::string& kernel,
                                            const ParameterSet& constants,
                                            const std::vector<std::string>& parameters);

}  // namespace tilescope
