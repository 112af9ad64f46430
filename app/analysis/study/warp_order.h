#pragma once

#include "emulator/block/block_trace.h"
#include "emulator/program.h"

namespace tilescope {

// Sorts the events of a trace so that a person can follow the block: its warps advance side by
// side, as on a multiprocessor, while the emulator runs one of them to its end and then the next.
// Between two barriers all warps are in the same step of the main loop, and within it each executes
// its first instruction, then each its second. The order of a warp's own events is kept, and no
// event crosses a barrier, so the block may have been executed in this order.
//
// If warps synchronise in other ways (an mbarrier, a lock, several barriers), the emulator's order
// is kept, as only this one is known to be possible.
void put_warps_side_by_side(const Program& program, BlockTrace* trace);

}  // namespace tilescope
