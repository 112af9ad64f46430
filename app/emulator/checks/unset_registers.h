#pragma once
#include <cstdint>
#include <vector>

#include "emulator/program.h"

namespace tilescope {

// The kernel's registers, as rows of its register file, that some instruction may read before any
// has written them: where control can come to the read past every write. Sorted. Not those of
// functions that it calls. None for machine code, in which an instruction may read a register
// whose value it does not need.
[[nodiscard]] std::vector<std::uint32_t> find_unset_registers(const Program& program);

}  // namespace tilescope
