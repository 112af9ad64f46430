#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"

namespace tilescope {

// A buffer as the launch uses it, as rows. The last row may end beyond the buffer.
struct BufferShape {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t leading = 0;  // elements from row to row
  bool found = false;         // in the addresses of the traced block; else stated by the launch
  std::string named_by;       // found: the whole number among the arguments that is the pitch
};

// For each argument of the instance; nullopt: no pointer, one row only, or not certain. A pitch is
// found if the block's addresses advance by it and an argument has this value, or, without such an
// argument, if threads that differ by one in y are that far apart. Precondition: study.traced().
[[nodiscard]] std::vector<std::optional<BufferShape>> buffer_shapes(const KernelStudy& study);

}  // namespace tilescope
