#pragma once
#include <vector>

#include "emulator/finding.h"
#include "emulator/program.h"

namespace tilescope {

// Removes findings that follow from another one, so that the cause alone is told. Never all: of two
// that would explain each other both stay.
//
// cause                                           removed
// a thread uses an mbarrier while another one     other findings on uses of mbarriers, and on what
// initialises it                                  is read behind a wait
// an mbarrier counts fewer threads than arrive    findings on memory behind the wait for it
// a wait for a phase that is over already         the arrival too many that comes next
// a read races with another block's write         "not initialised", of the same line
// an access to a block that has left the kernel   later ones, and "not initialised"
void leave_out_consequences(const Program& program, std::vector<Finding>& findings);

}  // namespace tilescope
