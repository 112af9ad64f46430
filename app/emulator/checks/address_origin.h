#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/program.h"

namespace tilescope {

// Which shared arrays each memory instruction's address is computed from, a bit for each of
// Code::shared_variables (the first 64): followed through
// moves, additions and conversions inside a function, without regard to the order of instructions.
// 0: not known.
[[nodiscard]] std::vector<std::uint64_t> shared_arrays_of(const Program& program);

// The same for some instructions, in their order, also for Code::constant_variables, and where in
// the parameter block the 8-byte words stand that their addresses are computed from (the first 64
// of the kernel). Slow: each function that they are in is followed anew.
struct AddressOrigin {
  std::uint64_t shared = 0;
  std::uint64_t constant = 0;
  std::vector<std::uint32_t> parameters;
};
[[nodiscard]] std::vector<AddressOrigin> origins_of(const Program& program,
                                                    std::span<const std::uint32_t> instructions);

}  // namespace tilescope
