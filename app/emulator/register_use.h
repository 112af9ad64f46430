#pragma once
#include <cstdint>
#include <vector>

#include "core/result.h"
#include "emulator/program.h"

namespace tilescope {

// Registers and predicates that an instruction reads and writes. Equal numbers, from 0 on, are the
// same register; one that is read and written stands in both lists, and may stand there twice.
struct RegisterUse {
  std::vector<std::uint32_t> reads;
  std::vector<std::uint32_t> writes;
};

struct RegisterUses {
  std::vector<RegisterUse> by_instruction;  // parallel to Program::instructions()
  std::uint32_t registers = 0;              // how many there are
};
// Decodes the kernel once more: a few milliseconds.
[[nodiscard]] Result<RegisterUses> register_uses(const Program& program);

}  // namespace tilescope
