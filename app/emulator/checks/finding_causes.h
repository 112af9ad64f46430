#pragma once
#include <vector>

#include "emulator/emulate.h"

namespace tilescope {

// Takes out what follows from another finding, so that the cause alone is told:
// - of an mbarrier that is used while another thread initialises it, whatever else is said of uses
//   of mbarriers, and of what is read after waiting at one;
// - of an mbarrier that counts fewer threads than arrive, what they do behind the wait for it;
// - of a wait for a phase that was over already (a cp_async), the arrival too many that comes next;
// - of a read that races with another block's write, that nobody has written there yet;
// - of accesses to blocks that have left, what is not the first of them, and that nobody has
// written
//   there.
void leave_out_consequences(const Program& program, std::vector<Finding>& findings);

}  // namespace tilescope
