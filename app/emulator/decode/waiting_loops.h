#pragma once
#include <cstdint>
#include <span>

#include "ptx/syntax.h"

namespace tilescope {

// May a lane of a warp wait in a loop for what another thread writes? So it may where a loop of
// these functions of the module has an atomic, a load past the L1, or an mbarrier's test, in itself
// or in what it calls.
[[nodiscard]] bool waits_in_a_loop(const PtxModule& module,
                                   std::span<const std::uint32_t> functions);

}  // namespace tilescope
