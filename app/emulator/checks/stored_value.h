#pragma once
#include <cstdint>

#include "emulator/block/execution_context.h"

namespace tilescope {

// `bytes` (at most 8) of what a lane stores, from byte `first` of its access on. `op` is a st.
[[nodiscard]] std::uint64_t stored_value(const MicroOp& op, const std::byte* registers,
                                         unsigned lane, unsigned first, unsigned bytes,
                                         const ExecutionContext& context);

}  // namespace tilescope
