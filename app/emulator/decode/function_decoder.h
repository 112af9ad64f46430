#pragma once
#include "emulator/decode/instruction_decoder.h"
#include "emulator/decode/kernel_decoder.h"

namespace tilescope {

// Decodes one function behind what is decoded already: its instructions, its basic blocks with
// their reconvergence, its loops. Calls still name functions in CodeBlock::target.
[[nodiscard]] FunctionBlocks decode_function(DecodeState& state, DecodedKernel& kernel,
                                             std::uint32_t function);

}  // namespace tilescope
