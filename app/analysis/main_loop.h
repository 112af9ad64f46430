#pragma once
#include <cstdint>
#include <limits>

#include "emulator/block/block_trace.h"
#include "emulator/program.h"

namespace tilescope {

inline constexpr std::uint32_t kNoLoopHeader = std::numeric_limits<std::uint32_t>::max();

// The first instruction of the outermost loop that most memory accesses of the trace lie in;
// kNoLoopHeader when none does. A kernel with a path of its own for edge blocks has several such
// loops: the one that ran is meant.
[[nodiscard]] std::uint32_t main_loop_header(const Program& program, const BlockTrace& trace);

}  // namespace tilescope
