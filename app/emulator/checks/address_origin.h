#pragma once
#include <cstdint>
#include <vector>

#include "emulator/program.h"

namespace tilescope {

// Which shared arrays each memory instruction's address is computed from, a bit for each of
// Code::shared_variables (the first 64): followed through moves, additions and conversions inside a
// function, without regard to the order of instructions. 0: not known.
[[nodiscard]] std::vector<std::uint64_t> shared_arrays_of(const Program& program);

}  // namespace tilescope
