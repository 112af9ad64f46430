#pragma once
#include <cstdint>

#include "emulator/code.h"

namespace tilescope {

// What tells whether a warp that executes a basic block may be waiting for somebody: bits.
inline constexpr std::uint8_t kActs = 1;        // stores or comes to a barrier
inline constexpr std::uint8_t kAsksOthers = 2;  // may wait for another block
inline constexpr std::uint8_t kLooks = 4;  // loads what another thread may write, and nothing else

[[nodiscard]] std::uint8_t traits_of(const Code& code, const CodeBlock& block);

// Does it read global memory that another block may write meanwhile?
[[nodiscard]] bool asks_others(const MicroOp& op);

}  // namespace tilescope
