#pragma once
#include <string_view>

#include "emulator/program.h"

namespace tilescope {

[[nodiscard]] std::string_view name_of(InstructionClass instruction_class);  // "memory" ...

}  // namespace tilescope
