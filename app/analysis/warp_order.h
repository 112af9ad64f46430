#pragma once
#include "emulator/block/block_trace.h"
#include "emulator/program.h"

namespace tilescope {

// Puts the events of a trace into the order in which a person follows a block: its warps side by
// side, as a multiprocessor runs them, and not one of them to its end and then the next, as the
// emulator does. Between two barriers all warps are in the same step of the main loop, and within
// it each does its first instruction, then each its second. The order of a warp's own events stays,
// and no event passes a barrier, so this is an order in which the block may have been executed.
//
// Where warps tell one another when to go on in other ways (an mbarrier, a lock, several barriers)
// the emulator's order stays, for it alone is known to be possible.
void put_warps_side_by_side(const Program& program, BlockTrace* trace);

}  // namespace tilescope
