#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/dim3.h"

namespace tilescope {

// A block that stands for others, and for how many (itself included).
struct SampledBlock {
  std::uint64_t block = 0;  // linear index
  std::uint64_t weight = 1;
};

// Which blocks to emulate for a quick answer: along each axis the last block, whose tile may be
// ragged, and one that stands for all the others, `preferred`'s index where it is one of them;
// every block when there are `all_up_to` or fewer. The weights sum to grid.count(). Scaling is
// exact where the blocks of a class differ only by multiples of 32 bytes in their addresses;
// callers present the result as a sample.
[[nodiscard]] std::vector<SampledBlock> sample_blocks(const Dim3& grid, std::uint64_t all_up_to,
                                                      std::optional<Dim3> preferred = {});

}  // namespace tilescope
