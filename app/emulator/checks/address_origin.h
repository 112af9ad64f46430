#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/program.h"

namespace tilescope {

// Which arrays an address is computed from, a bit for each of the first 64; 0: not known.
struct AddressArrays {
  std::uint64_t shared = 0;    // of Code::shared_variables
  std::uint64_t constant = 0;  // of Code::constant_variables
};
// By instruction of the program. Addresses are followed through moves, additions and conversions
// inside a function, in whatever order the instructions stand.
[[nodiscard]] std::vector<AddressArrays> arrays_of(const Program& program);

// What an instruction's address is computed from.
struct AddressOrigin {
  std::uint64_t shared = 0;               // a bit for each of Code::shared_variables, the first 64
  std::uint64_t constant = 0;             // of Code::constant_variables, likewise
  std::vector<std::uint32_t> parameters;  // offsets of 8-byte parameters, the kernel's first 64
};
// Of some instructions, in their order. Slow: each call follows their functions anew.
[[nodiscard]] std::vector<AddressOrigin> origins_of(const Program& program,
                                                    std::span<const std::uint32_t> instructions);

}  // namespace tilescope
