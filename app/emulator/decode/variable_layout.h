#pragma once
#include <vector>

#include "core/result.h"
#include "emulator/decode/instruction_decoder.h"
#include "emulator/program.h"

namespace tilescope {

// Places the variables that the functions name (the entry is the first) into their spaces and fills
// in the memory part of Code. Errors: more shared, local or constant memory than a kernel can have.
[[nodiscard]] Status place_variables(DecodeState& state,
                                     const std::vector<std::uint32_t>& functions,
                                     std::vector<KernelParameter>* parameters);

// "_ZZ4gemmE4tile" -> "tile".
[[nodiscard]] std::string readable_name(const std::string& symbol);

}  // namespace tilescope
