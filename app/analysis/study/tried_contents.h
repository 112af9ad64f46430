#pragma once

#include "analysis/study/tried_launch.h"

namespace tilescope {

// Values for the buffers and the single numbers of a tried launch whose contents nobody wrote down.
// Each function keeps a change only where the launch then runs better; `observed` is how the launch
// ran last, before and after the call.

// Random numbers, or a ramp of whole ones, for what is read and would be zero.
void fill_what_is_read(TriedLaunch& tried, TrialRun* observed);

// For a launch that accesses memory beyond a buffer. In turn: zeros instead of what the host writes
// (it may be indices of larger arrays), letters in what may be text, 0 instead of an offset of 1,
// and 0 or 1 instead of a ramp of indices.
void clear_what_exceeds(TriedLaunch& tried, TrialRun* observed);

// For a launch whose threads store to one element: the indices that it reads become all different.
// A launch that also reads what it stores, as sums do, stays as it is.
void spread_places(TriedLaunch& tried, TrialRun* observed);

// A number that nothing is known of may be a limit, a cutoff, and let more pass than a list has
// places for: threads whose lists run into each other seem to race. With a hundredth of it, or
// less, they do not; what else is computed with it still differs.
void lower_limits(TriedLaunch& tried, TrialRun* observed);

}  // namespace tilescope
