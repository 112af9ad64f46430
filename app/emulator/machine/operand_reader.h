#pragma once
#include <optional>
#include <string_view>

#include "emulator/machine/listing.h"

namespace tilescope::machine {

// One operand; nullopt when it is written in a way that nvdisasm is not known to use.
[[nodiscard]] std::optional<Operand> read_operand(std::string_view text);

// "@!P0 LDG.E.128 R4, desc[UR4][R2.64]" into its parts; address and place stay unset.
[[nodiscard]] std::optional<Instruction> read_instruction(std::string_view text);

}  // namespace tilescope::machine
