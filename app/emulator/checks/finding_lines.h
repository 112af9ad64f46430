#pragma once
#include <vector>

#include "emulator/emulate.h"

namespace tilescope {

// One finding of a kind for each source line, the lowest block's: a line makes several
// instructions. A store that is out of bounds or misaligned comes before a load.
void keep_one_per_line(const Program& program, std::vector<Finding>& findings);

// Moves findings of endless loops to the first line of the loop; the compiler gives the branch that
// closes it the line of something else at times. Of loops in each other it is the one that went
// round most often each time it was entered: an endless loop's inner ones end, again and again.
void place_endless_loops(const Program& program, const ExecutionCounts& counts,
                         std::vector<Finding>& findings);

}  // namespace tilescope
