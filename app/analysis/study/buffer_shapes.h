#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"

namespace tilescope {

// A buffer as the launch uses it: rows one after the other. The last may end beyond the buffer.
struct BufferShape {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t leading = 0;  // elements from row to row
  bool found = false;         // in the addresses of the traced block; else the launch says it
  std::string named_by;       // found: the whole number among the arguments that is the pitch
};

// Of each argument of the instance; nullopt: no pointer, or a line, or it is not sure. A pitch is
// found where the block's addresses step by it and it is also the value of an argument, or, with no
// such argument, where threads one apart in y lie that far apart. Precondition: study.traced().
[[nodiscard]] std::vector<std::optional<BufferShape>> buffer_shapes(const KernelStudy& study);

}  // namespace tilescope
